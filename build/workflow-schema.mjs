import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { root } from './freshness.mjs';

/** `npm run schema`: writes dagu.schema.json, which editors and `dagu schema` read, from the shapes that files are checked with. */
const { module } = await runnerImport(join(root, 'core/workflow/editor-schema.ts'), { configFile: false, root });
writeFileSync(join(root, 'dagu.schema.json'), `${JSON.stringify(module.editorSchema(), undefined, 2)}\n`);
