/** Replaces `@slack/web-api` in the bundle of the Slack front. See `without-bolt-servers.ts`. */

/** Something in the front used `client`, or what Bolt makes of it: `say`, `setStatus`, `sayStream`. */
export class NoWebClientError extends Error {
  override readonly name = 'NoWebClientError';
}

/** Bolt calls it with `new`. The result throws NoWebClientError for every method. */
export function WebClient(): object {
  return new Proxy(
    {},
    {
      get(_, method) {
        // `await` and `console.log` read these of any object.
        if (typeof method === 'symbol' || method === 'then') return undefined;
        throw new NoWebClientError(
          `The Slack front has no Web API client (${method}). Enqueue a task; the worker calls Slack.`,
        );
      },
    },
  );
}

/** Bolt's default error handler tells these apart; none is ever thrown here. */
export class WebAPIPlatformError extends Error {}
export class WebAPIRateLimitedError extends Error {}
export class WebAPIHTTPError extends Error {}

/** Bolt adds its version to the user agent of the client. */
export function addAppMetadata(): void {}
