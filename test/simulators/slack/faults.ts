import { type Counted, createFaults as waiting, type Faults as Waiting } from '../faults.ts';

/** Something that goes wrong on purpose with calls of the Web API, or with `files.download`, the fetching of a file. */
export type Fault = Counted & {
  /** The method it hits; every method when absent. */
  readonly method?: string;
} & (
    | { readonly kind: 'refuse'; readonly error: string }
    /** HTTP 429, to be repeated after so many seconds. */
    | { readonly kind: 'busy'; readonly retryAfter: number }
    /** Slack's own trouble: this HTTP status with a page of HTML; nothing takes effect. */
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

export const createFaults = (): Faults => waiting<Fault>(({ method }) => method);
