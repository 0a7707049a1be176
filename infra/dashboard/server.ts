import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import * as v from 'valibot';
import type { DashboardData, MessageLedger } from './data/dashboard-data.ts';
import type { FaultPanel } from './faults.ts';
import { readPageFile } from './page-files.ts';

/** Delivers what the page shows: of the local system, or of a deployment. */
export type DashboardSource = {
  /** Returns the last `rangeMs`. */
  readonly read: (rangeMs: number) => Promise<DashboardData>;
  /** Returns the ledger of the message with this trace; undefined if it is unknown. */
  readonly findMessage: (trace: string) => Promise<MessageLedger | undefined>;
};

export type DashboardOptions = {
  readonly source: DashboardSource;
  /** Undefined: the page has no fault panel. */
  readonly faults?: FaultPanel | undefined;
  /** Where the reason of an error is that the page cannot name: completes "The numbers could not be read." */
  readonly whereToLook: string;
  /** Receives an error that the page cannot name. */
  readonly reportError: (error: unknown) => void;
};

/** The page runs its own files only, and connects to no other server. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const MINUTE_MS = 60_000;
const DEFAULT_RANGE_MINUTES = 60;
const MAX_RANGE_MINUTES = 7 * 24 * 60;
const MAX_FAULT_SECONDS = 3_600;
const MAX_BODY_BYTES = 1_024;

const rangeSchema = v.pipe(
  v.string(),
  v.digits(),
  v.transform(Number),
  v.integer(),
  v.minValue(1),
  v.maxValue(MAX_RANGE_MINUTES),
);
const faultSchema = v.object({
  name: v.pipe(v.string(), v.maxLength(50)),
  /** 0 switches it off. */
  seconds: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_FAULT_SECONDS)),
});

/**
 * Creates the server of the operator's page. It must listen on loopback only: it asks nobody who they are. Rejects requests of
 * other sites in the same browser, and requests with a host name that others may have pointed to this machine.
 */
export function createDashboardServer(options: DashboardOptions): Server {
  return createServer((request, response) => {
    handleRequest(request, response, options).catch((error: unknown) => {
      options.reportError(error);
      if (!response.headersSent)
        sendJson(response, 500, {
          error: `The numbers could not be read. ${options.whereToLook}`,
        });
      response.destroy();
    });
  });
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: DashboardOptions,
): Promise<void> {
  if (!isFromThisMachine(request))
    return sendJson(response, 421, { error: 'This page is for its own address.' });
  if (!isSameOrigin(request)) return sendJson(response, 403, { error: 'This page is not for other sites.' });
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://dashboard');
  if (request.method === 'POST') {
    if (pathname === '/faults') return changeFault(request, response, options);
    return sendJson(response, 404, { error: 'There is no such address.' });
  }
  if (pathname === '/data') return sendData(response, searchParams.get('minutes'), options);
  if (pathname === '/message') {
    const ledger = await options.source.findMessage(searchParams.get('trace') ?? '');
    return sendJson(
      response,
      ledger ? 200 : 404,
      ledger ?? { error: 'Nothing is known of this message any more.' },
    );
  }
  const file = await readPageFile(pathname);
  if (!file) return sendJson(response, 404, { error: 'There is no such address.' });
  response.writeHead(200, { ...HEADERS, 'content-type': file.contentType });
  response.end(request.method === 'HEAD' ? undefined : file.content);
}

async function sendData(
  response: ServerResponse,
  minutes: string | null,
  { source, faults }: DashboardOptions,
): Promise<void> {
  const range = v.safeParse(rangeSchema, minutes ?? String(DEFAULT_RANGE_MINUTES));
  if (!range.success)
    return sendJson(response, 400, { error: `minutes is a number from 1 to ${MAX_RANGE_MINUTES}.` });
  const data = await source.read(range.output * MINUTE_MS);
  sendJson(response, 200, { ...data, faults: faults?.list() ?? [] });
}

async function changeFault(
  request: IncomingMessage,
  response: ServerResponse,
  { faults }: DashboardOptions,
): Promise<void> {
  // A form of another site cannot send this type without asking first.
  const isJson = request.headers['content-type'] === 'application/json';
  const length = Number(request.headers['content-length'] ?? Infinity);
  if (!isJson || !(length <= MAX_BODY_BYTES))
    return sendJson(response, 415, { error: 'A short JSON body is needed.' });
  const change = v.safeParse(faultSchema, await json(request).catch(() => undefined));
  if (!change.success) return sendJson(response, 400, { error: 'name and seconds are needed.' });
  const { name, seconds } = change.output;
  const isDone = seconds === 0 ? faults?.stop(name) : faults?.start(name, seconds * 1_000);
  if (isDone !== true) return sendJson(response, 404, { error: 'This fault cannot be switched here.' });
  sendJson(response, 200, { faults: faults?.list() ?? [] });
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

/** By the address in the request: a page elsewhere cannot read this one by a DNS name that points here. */
function isFromThisMachine({ headers: { host = '' } }: IncomingMessage): boolean {
  return LOOPBACK.test(URL.parse(`http://${host}`)?.hostname ?? '');
}

/** Without an `Origin` it is no request of another site's page, except for plain links, which read nothing. */
function isSameOrigin({ headers: { origin, host } }: IncomingMessage): boolean {
  return origin === undefined || origin === `http://${host}`;
}

function sendJson(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, { ...HEADERS, 'content-type': 'application/json' });
  response.end(JSON.stringify(content));
}
