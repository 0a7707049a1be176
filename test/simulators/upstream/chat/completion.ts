import type { Model } from '../models.ts';

export type CalledTool = {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** The signature of the thought behind the call, which has to come back with it. */
  readonly signature?: string | undefined;
};

/** The signature of a call. */
export const signatureOf = (id: string): string => Buffer.from(`thought of ${id}`).toString('base64');

export type Finish = 'stop' | 'length' | 'tool_calls' | 'context';

export type Counted = {
  readonly prompt: number;
  readonly completion: number;
  readonly reasoning: number;
  readonly cached: number;
};

/** A finished answer before it takes a shape: what it says, token by token, and what it cost. */
export type Completion = {
  readonly id: string;
  /** s since 1970. */
  readonly created: number;
  readonly model: Model;
  readonly reasoning: readonly string[];
  readonly content: readonly string[];
  readonly toolCalls: readonly CalledTool[];
  readonly finish: Finish;
  /** The token that ended it, if the model did. */
  readonly matchedStop: number | undefined;
  readonly usage: Counted;
  readonly logprobs: readonly TokenLogprob[] | undefined;
};

export type Logprob = { readonly token: string; readonly logprob: number; readonly bytes: readonly number[] };
export type TokenLogprob = Logprob & { readonly top_logprobs: readonly Logprob[] };
