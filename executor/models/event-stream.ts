/** The data of each server-sent event of a body, in order; the last one counts without its blank line too. */
export async function* eventData(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of linesOf(body)) {
    if (line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''));
    if (line !== '' || data.length === 0) continue;
    yield data.join('\n');
    data = [];
  }
  if (data.length > 0) yield data.join('\n');
}

async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  yield rest;
}
