import { Buffer } from 'node:buffer';
import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import yauzl from 'yauzl';
import { contentNames, contentType } from '../content-type.ts';
import { maxUnpackedBytes } from '../limits.ts';
import { Unreadable } from '../unreadable.ts';
import { attribute, readXml } from './xml.ts';

/** A part that another one names. */
export interface Relation {
  id: string;
  /** The last piece of the relation's type, as `worksheet`. */
  type: string;
  /** The part's name. */
  target: string;
}

/**
 * A document of Office: a zip package of XML parts that name each other. All that is
 * unpacked of it is counted, and an {@link Unreadable} at {@link maxUnpackedBytes}.
 */
export class OfficePackage {
  readonly #zip: yauzl.ZipFile;
  readonly #entries: Map<string, yauzl.Entry>;
  #unpacked = 0;

  private constructor(zip: yauzl.ZipFile, entries: Map<string, yauzl.Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  static async open(bytes: Uint8Array): Promise<OfficePackage> {
    const type = contentType(bytes);
    if (type !== 'zip') throw new Unreadable(`is no Office document: it is ${contentNames[type]}`);
    const open = promisify(yauzl.fromBuffer as (bytes: Buffer, options: yauzl.Options, done: Done) => void);
    const zip = await open(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      lazyEntries: true,
      autoClose: false,
    });
    const entries = new Map<string, yauzl.Entry>();
    for await (const entry of entriesOf(zip)) {
      const name = partKey(entry.fileName);
      if (entries.has(name)) throw new Unreadable(`is damaged: it holds two parts of the name "${entry.fileName}"`);
      entries.set(name, entry);
    }
    return new OfficePackage(zip, entries);
  }

  has(part: string): boolean {
    return this.#entries.has(partKey(part));
  }

  /** The part's bytes as they are unpacked. */
  async *read(part: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(partKey(part));
    if (entry === undefined) throw new Unreadable(`is damaged: it has no part "${part}"`);
    const tooLarge = `unpacks to more than ${maxUnpackedBytes / 1_048_576} MB; give a smaller document`;
    if (this.#unpacked + entry.uncompressedSize > maxUnpackedBytes) throw new Unreadable(tooLarge);
    const open = promisify(this.#zip.openReadStream.bind(this.#zip) as (entry: yauzl.Entry, done: StreamDone) => void);
    // That a part does not unpack to what it says is an error of the library.
    for await (const chunk of await open(entry)) {
      this.#unpacked += (chunk as Buffer).length;
      if (this.#unpacked > maxUnpackedBytes) throw new Unreadable(tooLarge);
      yield chunk as Buffer;
    }
  }

  /** The parts that a part names; those of the package itself for ''. Addresses outside of it are left out. */
  async relations(part: string): Promise<Relation[]> {
    const file = posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`);
    if (!this.has(file)) return [];
    const found: Relation[] = [];
    await readXml(this.read(file), {
      open: (name, attributes) => {
        if (name !== 'Relationship' || attribute(attributes, 'TargetMode') === 'External') return;
        const target = attribute(attributes, 'Target') ?? '';
        found.push({
          id: attribute(attributes, 'Id') ?? '',
          type: posix.basename(attribute(attributes, 'Type') ?? ''),
          target: target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(part), target),
        });
      },
    });
    return found;
  }

  /** The package's main part. */
  async mainPart(): Promise<string> {
    const main = (await this.relations('')).find(({ type }) => type === 'officeDocument');
    if (main === undefined) throw new Unreadable('is no Office document: nothing in it says where its content is');
    return main.target;
  }

  close(): void {
    this.#zip.close();
  }
}

type Done = (error: Error | null, zip: yauzl.ZipFile) => void;
type StreamDone = (error: Error | null, stream: Readable) => void;

/** Names of parts are the same in small and capital letters. */
function partKey(name: string): string {
  return name.replace(/^\/+/, '').toLowerCase();
}

async function* entriesOf(zip: yauzl.ZipFile): AsyncGenerator<yauzl.Entry> {
  for (;;) {
    const entry = await new Promise<yauzl.Entry | undefined>((resolve, reject) => {
      zip.once('entry', resolve).once('end', resolve).once('error', reject);
      zip.readEntry();
    });
    zip.removeAllListeners();
    if (entry === undefined) return;
    yield entry;
  }
}
