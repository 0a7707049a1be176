import { Dispatcher } from 'undici';

/** The response of a server in chunks; a broken response stops before its end. */
export type ServerResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly pieces: readonly Buffer[];
  readonly broken: boolean;
};

type Handler = Dispatcher.DispatchHandler;
type Controller = Parameters<NonNullable<Handler['onRequestStart']>>[0];

/** An undici connection to a server in memory: `answer` returns what would arrive from the network. */
export class MemoryServer extends Dispatcher {
  readonly #answer: (path: string) => ServerResponse;

  constructor(answer: (path: string) => ServerResponse) {
    super();
    this.#answer = answer;
  }

  override dispatch({ path }: Dispatcher.DispatchOptions, handler: Handler): boolean {
    setImmediate(() => this.#serve(this.#answer(path), handler));
    return true;
  }

  override async destroy(): Promise<void> {}

  #serve({ status, headers, pieces, broken }: ServerResponse, handler: Handler): void {
    let reason: Error | null = null;
    const controller: Controller = {
      get aborted() {
        return reason !== null;
      },
      paused: false,
      get reason() {
        return reason;
      },
      rawHeaders: null,
      rawTrailers: null,
      abort: (why) => {
        if (reason) return;
        reason = why ?? new Error('aborted');
        handler.onResponseError?.(controller, reason);
      },
      pause: () => undefined,
      resume: () => undefined,
    };
    handler.onRequestStart?.(controller, {});
    if (reason) return;
    handler.onResponseStart?.(controller, status, headers, '');
    for (const piece of pieces) if (!controller.aborted) handler.onResponseData?.(controller, piece);
    if (controller.aborted) return;
    if (broken) controller.abort(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    else handler.onResponseEnd?.(controller, {});
  }
}
