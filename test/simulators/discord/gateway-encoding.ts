import { constants, createDeflate, deflateSync } from 'node:zlib';
import type { WebSocket } from 'ws';
import type { Payload } from './gateway-session.ts';

export type Sender = (payload: Payload) => void;

/** Sends payloads as text, each for itself. */
export const plain =
  (socket: WebSocket): Sender =>
  (payload) =>
    socket.send(JSON.stringify(payload));

/** What IDENTIFY with `compress` asks for: each dispatch compressed for itself. */
export const compressedOne =
  (socket: WebSocket): Sender =>
  (payload) =>
    payload.op === 0 ? socket.send(deflateSync(JSON.stringify(payload))) : plain(socket)(payload);

/** What `compress=zlib-stream` in the address asks for: one stream for the whole connection, flushed after each payload. */
export function compressedStream(socket: WebSocket): Sender {
  const stream = createDeflate({ flush: constants.Z_SYNC_FLUSH });
  stream.on('data', (chunk: Buffer) => socket.send(chunk));
  return (payload) => {
    stream.write(JSON.stringify(payload));
  };
}
