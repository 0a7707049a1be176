import { constants, createDeflate, deflateSync } from 'node:zlib';
import type { WebSocket } from 'ws';
import type { Payload } from './gateway-session.ts';

export type Sender = (payload: Payload) => void;

/** Sends payloads as text frames. */
export const plain =
  (socket: WebSocket): Sender =>
  (payload) =>
    socket.send(JSON.stringify(payload));

/** For IDENTIFY with `compress`: each dispatch is compressed separately. */
export const compressedOne =
  (socket: WebSocket): Sender =>
  (payload) =>
    payload.op === 0 ? socket.send(deflateSync(JSON.stringify(payload))) : plain(socket)(payload);

/** For `compress=zlib-stream` in the URL: one compressed stream per connection, flushed after each payload. */
export function compressedStream(socket: WebSocket): Sender {
  const stream = createDeflate({ flush: constants.Z_SYNC_FLUSH });
  stream.on('data', (chunk: Buffer) => socket.send(chunk));
  return (payload) => {
    stream.write(JSON.stringify(payload));
  };
}
