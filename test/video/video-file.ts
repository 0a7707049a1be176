import type { StoredObject } from '../../shared/aws/s3.ts';

/** Bytes that start like a video. */
export const VIDEO_FILE = Buffer.concat([Buffer.from('\0\0\0\x18ftypisom'), Buffer.alloc(64, 7)]);

export async function bytesOf(content: StoredObject['content']): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

export async function* inParts(bytes: Buffer): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 16) yield await Promise.resolve(bytes.subarray(at, at + 16));
}
