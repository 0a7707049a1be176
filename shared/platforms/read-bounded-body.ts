/** Time for a file whatever its size, and for each megabyte of it: what a slow line carries. */
const TIMEOUT_MS = 20_000;
const MS_PER_MB = 1_000;

/** How long fetching a file of this size may take, in ms. A host that sends a byte a second is left then. */
export const getDownloadTimeoutMs = (bytes: number): number =>
  TIMEOUT_MS + Math.ceil(Math.max(0, bytes) / 1024 / 1024) * MS_PER_MB;

/**
 * Reads the body of a response. Undefined if it is, or says it is, longer than `maxBytes`: the rest is not read. Rejects if
 * the connection breaks off.
 */
export async function readBoundedBody(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel();
    return undefined;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stream: AsyncIterable<Uint8Array> | undefined = response.body ?? undefined;
  for await (const chunk of stream ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

const MAX_NAME_LENGTH = 80;

/** A file's name in a sentence. It comes from a person, so what could end the quotation, or be markup, is left out. */
export function shortenFileName(name: string): string {
  const clean = name.replace(/[\s“”`*_~<>|[\]]+/g, ' ').trim() || 'file';
  return clean.length > MAX_NAME_LENGTH ? `${clean.slice(0, MAX_NAME_LENGTH).toWellFormed()}…` : clean;
}
