import { isIP, Socket } from 'node:net';
import * as v from 'valibot';

/** A connection that the process tried to open. */
export type Connection = {
  readonly host: string;
  readonly port: number;
  /** The resolved address, where the connecting code resolves the name itself; or the address to connect to. */
  readonly addresses: readonly string[];
};

const target = v.looseObject({
  host: v.optional(v.nullable(v.string())),
  port: v.union([v.string(), v.number()]),
  lookup: v.optional(v.custom<Lookup>((of) => typeof of === 'function')),
});
type Lookup = (host: string, options: { readonly all: true }, callback: Found) => void;
type Found = (error: Error | null, addresses: readonly { readonly address: string }[]) => void;
const options = v.union([v.tupleWithRest([target], v.unknown()), target]);

/** Blocks and records all connections of this process except those to the given local ports. `end` stops blocking. */
export function watchConnections(passing: () => readonly number[]) {
  const connections: Connection[] = [];
  const original: unknown = Reflect.get(Socket.prototype, 'connect');
  const refuse = (socket: Socket, connection: Connection): void => {
    connections.push(connection);
    process.nextTick(() => socket.destroy(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })));
  };
  function connect(this: Socket, ...args: readonly unknown[]): unknown {
    const read = v.parse(options, args[0]);
    const { host, port: written, lookup } = Array.isArray(read) ? read[0] : read;
    const [name, port] = [host ?? 'localhost', Number(written)];
    if (name === '127.0.0.1' && passing().includes(port) && typeof original === 'function')
      return Reflect.apply(original, this, args);
    if (lookup === undefined || isIP(name) !== 0) {
      refuse(this, { host: name, port, addresses: isIP(name) === 0 ? [] : [name] });
      return this;
    }
    lookup(name, { all: true }, (error, addresses) => {
      if (error) process.nextTick(() => this.destroy(error));
      else refuse(this, { host: name, port, addresses: addresses.map(({ address }) => address) });
    });
    return this;
  }
  Reflect.set(Socket.prototype, 'connect', connect);
  return { connections, end: () => void Reflect.set(Socket.prototype, 'connect', original) };
}
