import type { IncomingMessage } from 'node:http';

/** The body was larger than allowed. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/**
 * Reads a whole request body. Rejects with BodyTooLarge as soon as it passes `limit` bytes (what still comes is
 * thrown away, so that the answer can be sent), and with any other error when the peer goes.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(new BodyTooLarge(`The body has more than ${limit} bytes`));
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('The peer closed the connection')));
  });
}
