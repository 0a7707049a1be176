import { channel } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { isObject } from './json.ts';

/** By the body of the request that was sent over it last: undici names the socket nowhere else (docs: undici, "Diagnostics Channel Support"). */
const sockets = new WeakMap<Uint8Array, Socket>();

channel('undici:client:sendHeaders').subscribe((message) => {
  if (!isObject(message) || !isObject(message['request'])) return;
  const { body } = message['request'];
  if (body instanceof Uint8Array && message['socket'] instanceof Socket) sockets.set(body, message['socket']);
});

/** The sockets whose reading can be paused. */
const prepared = new WeakSet<Socket>();
const paused = new WeakSet<Socket>();

/**
 * Leaves what arrives for the request with this body in the system's buffer until the returned function is called: many small events
 * then take one read instead of one each, and the server is slowed down only if the buffer is full. Undefined if the connection is
 * shared with other requests (HTTP/2) or unknown. The agent needs a `highWaterMark` of 1: Node stops reading when that much was not
 * taken from the socket.
 */
export function pauseSocket(body: Uint8Array): (() => void) | undefined {
  const socket = sockets.get(body);
  if (!socket || socket.destroyed || ('alpnProtocol' in socket && socket.alpnProtocol === 'h2'))
    return undefined;
  if (!prepared.has(socket)) {
    prepared.add(socket);
    const read: (size?: number) => unknown = socket.read.bind(socket);
    socket.read = (size) => (paused.has(socket) ? null : read(size));
  }
  paused.add(socket);
  return () => {
    if (paused.delete(socket) && !socket.destroyed) socket.emit('readable');
  };
}
