/** The start data of a function's thread. */
export type ThreadStart = {
  readonly directory: string;
  /** File and exported name, as on Lambda: `index.handler`. */
  readonly handler: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
  readonly isTraced: boolean;
};

/** Sent to the thread to run the handler. `deadline` is in ms since 1970. */
export type InvocationMessage = { readonly id: string; readonly event: string; readonly deadline: number };

/** Sent by the thread when its handler is loaded and when an invocation ended. Payloads are JSON, as on Lambda. */
export type ThreadMessage =
  | { readonly kind: 'ready' }
  /** A part of the response of a handler that streams, as Lambda sends it: first its head as JSON, then eight zero bytes, then the body. */
  | { readonly kind: 'part'; readonly id: string; readonly bytes: Uint8Array }
  | { readonly kind: 'answer'; readonly id: string; readonly payload: string }
  | { readonly kind: 'failed'; readonly id: string; readonly errorType: string; readonly message: string };
