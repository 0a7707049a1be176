import { type Counted, createFaults as waiting, type Faults as Waiting } from '../faults.ts';

/** An injected fault of REST requests, or of `GET /attachments`, the download of a file. */
export type Fault = Counted & {
  /** The affected route, as in the coverage table; every route if absent. */
  readonly route?: string;
} &
  /** One of Discord's error codes; nothing takes effect. */
  (
    | { readonly kind: 'refuse'; readonly code: number }
    /** 429 as Discord itself sends it. */
    | { readonly kind: 'busy'; readonly retryAfter: number; readonly scope?: 'user' | 'shared' | 'global' }
    /** 429 as Cloudflare sends it: a page of HTML, no headers of Discord's. */
    | { readonly kind: 'cloudflare'; readonly retryAfter?: number }
    /** A server error: this status, without effect. */
    | { readonly kind: 'status'; readonly status: number }
    /** The connection breaks before the request takes effect. */
    | { readonly kind: 'cut' }
    /** The request takes effect, then the connection breaks. */
    | { readonly kind: 'lose-reply' }
    /** The request takes effect after this many ms. */
    | { readonly kind: 'delay'; readonly ms: number }
    /** Redirects the client with status 302. */
    | { readonly kind: 'redirect'; readonly to: string }
  );

export type Faults = Waiting<Fault>;

export const createFaults = (): Faults => waiting<Fault>(({ route }) => route);
