import type { Body } from './body.ts';
import type { SimulatorContext } from './context.ts';

/** One REST request, as a route sees it. */
export type Call = {
  readonly context: SimulatorContext;
  /** The path parameters, by the names of the specification. */
  readonly at: (name: string) => string;
  readonly query: URLSearchParams;
  readonly body: Body;
};

/** The response of a route: a status, and JSON unless it is 204. */
export type Answer = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Route = {
  /** The bot token, or a token in the path that the route itself checks. */
  readonly auth: 'bot' | 'path' | 'none';
  /**
   * The number of requests per ms; from experience, since Discord does not document it and wants clients to read the
   * headers.
   */
  readonly limit: { readonly calls: number; readonly ms: number };
  readonly run: (call: Call) => Answer;
  /** Runs before `run`, for what takes a request to the app. Rejects with a RefusalError. */
  readonly prepare?: (call: Call) => Promise<void>;
};

/** Routes by method and path template, as in `POST /channels/{channel_id}/messages`. */
export type Routes = Readonly<Record<string, Route>>;

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const done: Answer = { status: 204 };

export const bot = (calls: number, ms: number, run: Route['run']): Route => ({
  auth: 'bot',
  limit: { calls, ms },
  run,
});

export const byToken = (calls: number, ms: number, run: Route['run']): Route => ({
  auth: 'path',
  limit: { calls, ms },
  run,
});
