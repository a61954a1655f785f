import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { protocol, type Session } from 'electron';

/** The pages have a scheme of their own: unlike `file:`, it reaches nothing but them. */
const scheme = 'app';
export const pagesOrigin = `${scheme}://dagu`;

/** The pages as built, beside this program. */
const folder = fileURLToPath(new URL('./renderer', import.meta.url));

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Nothing but the pages' own files, and pictures that they make of screenshots. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Has to be called before the app is ready. */
export function registerPagesScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme, privileges: { standard: true, secure: true } }]);
}

/** Serves the pages to the windows of a session. */
export function servePages(session: Session): void {
  session.protocol.handle(scheme, async (request) => {
    const { host, pathname } = new URL(request.url);
    const type = contentTypes[extname(pathname)];
    // Plain names alone: nothing encoded, so nothing that could lead out of the folder.
    if (request.method !== 'GET' || host !== 'dagu' || type === undefined || !/^(\/[\w-][\w.-]*)+$/.test(pathname)) {
      return notFound();
    }
    try {
      const body = await readFile(join(folder, pathname));
      return new Response(new Uint8Array(body), {
        headers: {
          'content-type': type,
          'content-security-policy': policy,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
        },
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return notFound();
      throw error;
    }
  });
}

function notFound(): Response {
  return new Response('There is no such page.', { status: 404, headers: { 'content-security-policy': policy } });
}
