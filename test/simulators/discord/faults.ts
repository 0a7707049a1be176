import { type Counted, createFaults as waiting, type Faults as Waiting } from '../faults.ts';

/** Something that goes wrong on purpose with calls of the REST API, or with `GET /attachments`, the fetching of a file. */
export type Fault = Counted & {
  /** The route it hits, as the coverage table names it; every route when absent. */
  readonly route?: string;
} &
  /** One of Discord's error codes; nothing takes effect. */
  (
    | { readonly kind: 'refuse'; readonly code: number }
    /** 429 as Discord itself sends it. */
    | { readonly kind: 'busy'; readonly retryAfter: number; readonly scope?: 'user' | 'shared' | 'global' }
    /** 429 as Cloudflare sends it: a page of HTML, no headers of Discord's. */
    | { readonly kind: 'cloudflare'; readonly retryAfter?: number }
    /** Discord's own trouble: this status, nothing takes effect. */
    | { readonly kind: 'status'; readonly status: number }
    /** The connection breaks before the call takes effect. */
    | { readonly kind: 'cut' }
    /** The call takes effect, then the connection breaks. */
    | { readonly kind: 'lose-reply' }
    /** The call takes effect after so many ms. */
    | { readonly kind: 'delay'; readonly ms: number }
    /** Sends the caller elsewhere, with status 302. */
    | { readonly kind: 'redirect'; readonly to: string }
  );

export type Faults = Waiting<Fault>;

export const createFaults = (): Faults => waiting<Fault>(({ route }) => route);
