/** What a function's thread is told at its start. */
export type ThreadStart = {
  readonly directory: string;
  /** As Lambda writes it: file and exported name, such as `index.handler`. */
  readonly handler: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
  readonly isTraced: boolean;
};

/** To the thread: run the handler. `deadline` is in ms since 1970. */
export type Call = { readonly id: string; readonly event: string; readonly deadline: number };

/** From the thread: it has loaded its handler, or an invocation ended. Payloads are JSON, as on Lambda. */
export type ThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: string; readonly payload: string }
  | { readonly kind: 'failed'; readonly id: string; readonly errorType: string; readonly message: string };
