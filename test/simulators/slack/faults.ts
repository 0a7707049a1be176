import { type Counted, createFaults as waiting, type Faults as Waiting } from '../faults.ts';

/** An injected fault of Web API requests, or of `files.download`, the download of a file. */
export type Fault = Counted & {
  /** The affected method; every method if absent. */
  readonly method?: string;
} & (
    | { readonly kind: 'refuse'; readonly error: string }
    /** HTTP 429 with this retry time in seconds. */
    | { readonly kind: 'busy'; readonly retryAfter: number }
    /** A server error: this HTTP status with an HTML page; without effect. */
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

export const createFaults = (): Faults => waiting<Fault>(({ method }) => method);
