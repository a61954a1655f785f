import { SaxesParser } from 'saxes';
import { Unreadable } from '../unreadable.ts';

export type Attributes = Record<string, string>;

/** What happens in a document of XML, in its order. Names come without their prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/**
 * Reads XML as it arrives. No entity but those of XML itself is known, and a document type
 * declaration, in which others could be made, is refused: no Office program writes one.
 */
export async function readXml(chunks: AsyncIterable<Uint8Array>, handler: XmlHandler): Promise<void> {
  const parser = new SaxesParser();
  parser.on('doctype', () => {
    throw new Unreadable('holds a document type declaration, which no Office program writes; it is not safe to read');
  });
  parser.on('opentag', (tag) => handler.open?.(localName(tag.name), tag.attributes));
  parser.on('closetag', (tag) => handler.close?.(localName(tag.name)));
  const { text } = handler;
  if (text !== undefined) {
    parser.on('text', (piece) => text.call(handler, piece));
    parser.on('cdata', (piece) => text.call(handler, piece));
  }
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
    parser.write(decoder.decode(chunk, { stream: true }));
  }
  parser.write(decoder?.decode() ?? '').close();
}

/** An attribute's value by its name, whatever its prefix. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  const plain = attributes[name];
  if (plain !== undefined) return plain;
  for (const key in attributes) if (localName(key) === name) return attributes[key];
  return undefined;
}

const localNames = new Map<string, string>();

function localName(name: string): string {
  let local = localNames.get(name);
  if (local === undefined) {
    local = name.slice(name.indexOf(':') + 1);
    // A document may make up names without end.
    if (localNames.size < 10_000) localNames.set(name, local);
  }
  return local;
}

function encodingOf(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}
