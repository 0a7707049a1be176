import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import * as v from 'valibot';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Json } from './state.ts';

export const SOCKET_PATH = '/link';

/** The kinds of envelopes. Source: docs.slack.dev/apis/events-api/using-socket-mode. */
export type SocketKind = 'events_api' | 'interactive' | 'slash_commands';

/** The sockets of socket mode. */
export type Sockets = {
  /** Accepts a socket at the path of `apps.connections.open`. False if the request is not for it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Whether the app has a socket: then events come over it, and not to an address. */
  isOpen(): boolean;
  /** Sends an envelope over one of the sockets. Resolves with the payload of its acknowledgement; rejects when aborted. */
  deliver(kind: SocketKind, payload: Json, retry: Retry | undefined, signal: AbortSignal): Promise<unknown>;
  /** Asks all clients to connect again, and sends nothing more to them, as Slack does every few hours. */
  refresh(): void;
  /** Calls the listener whenever a socket has opened. */
  onOpen(listener: () => void): void;
  close(): void;
};

export type Retry = { readonly attempt: number; readonly reason: string };

const acknowledgementShape = v.object({ envelope_id: v.string(), payload: v.optional(v.unknown()) });

/** Accepts sockets, says hello, and sends envelopes, as Slack does. Slack refreshes sockets after some hours; this one does when it is told to. */
export function createSockets(appId: string): Sockets {
  const server = new WebSocketServer({ noServer: true });
  const leaving = new WeakSet<WebSocket>();
  const isUsable = (client: WebSocket): boolean => client.readyState === client.OPEN && !leaving.has(client);
  const waiting = new Map<string, (payload: unknown) => void>();
  const listeners: (() => void)[] = [];
  const greet = (client: WebSocket): void => {
    client.on('message', (data) => {
      const parsed = v.safeParse(acknowledgementShape, parseJson(textOf(data)));
      if (parsed.success) waiting.get(parsed.output.envelope_id)?.(parsed.output.payload);
    });
    const hello = { type: 'hello', num_connections: server.clients.size, connection_info: { app_id: appId } };
    client.send(JSON.stringify(hello));
    for (const listener of listeners) listener();
  };
  return {
    upgrade(request, socket, head) {
      if (new URL(request.url ?? '/', 'http://simulator').pathname !== SOCKET_PATH) return false;
      server.handleUpgrade(request, socket, head, greet);
      return true;
    },
    isOpen: () => [...server.clients].some(isUsable),
    deliver: (kind, payload, retry, signal) =>
      new Promise((resolve, reject) => {
        const envelope_id = randomUUID();
        const again = retry ? { retry_attempt: retry.attempt, retry_reason: retry.reason } : {};
        const accepts_response_payload = kind !== 'events_api';
        waiting.set(envelope_id, (answer) => {
          waiting.delete(envelope_id);
          resolve(answer);
        });
        signal.addEventListener('abort', () => {
          waiting.delete(envelope_id);
          reject(signal.reason);
        });
        const client = [...server.clients].find(isUsable);
        client?.send(
          JSON.stringify({ type: kind, envelope_id, payload, accepts_response_payload, ...again }),
        );
      }),
    refresh() {
      for (const client of server.clients) {
        leaving.add(client);
        client.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested', debug_info: {} }));
      }
    },
    onOpen: (listener) => void listeners.push(listener),
    close() {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}

/** The text of a message, however the package delivers it. */
export function textOf(data: RawData): string {
  const parts = Array.isArray(data) ? data : [data instanceof ArrayBuffer ? Buffer.from(data) : data];
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
