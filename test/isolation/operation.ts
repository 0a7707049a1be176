import type { Actor } from './access-model.ts';

/** One thing that somebody does, ready to be done. */
export type Operation = {
  readonly actor: Actor;
  /** Delivers what the platform tells of it. */
  readonly act: () => Promise<unknown>;
  /** More for the trace. */
  readonly detail?: string;
};

/** A request as it was sent: it can be sent again. */
export type Sent = { readonly actor: Actor; readonly to: 'slack' | 'discord'; readonly event: HttpEvent };
export type HttpEvent = {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded: false;
};
