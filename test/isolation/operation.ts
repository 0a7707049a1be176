import type { Actor } from './access-model.ts';

/** One action of a person, ready to be performed. */
export type Operation = {
  readonly actor: Actor;
  /** Delivers the events of the platform. */
  readonly act: () => Promise<unknown>;
  /** Details for the trace. */
  readonly detail?: string;
};

/** A request as it was sent, for a replay. */
export type Sent = { readonly actor: Actor; readonly to: 'slack' | 'discord'; readonly event: HttpEvent };
export type HttpEvent = {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded: false;
};

/** The name of an update that Discord sends again. */
export const REPEATED_UPDATE = 'repeated update';

/** The name of a click with a forged control. Videos are listed everywhere, so theirs may name one of another channel. */
export const forgedName = (click: 'press' | 'reply', text: string): string =>
  /video\./u.test(text) ? `video ${click} forged` : `${click} forged`;
