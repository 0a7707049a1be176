/**
 * Stands in the bundle of the Slack front for `@slack/web-api` (see ../bundles.ts): what Bolt touches of it when it
 * builds an app and sorts errors. A listener that calls Slack finds no such method, in the first test that runs it.
 */
export class WebClient extends Object {}
export class WebAPIPlatformError extends Error {}
export class WebAPIRateLimitedError extends Error {}
export class WebAPIHTTPError extends Error {}

export function addAppMetadata(): void {
  // Names Bolt in the requests of a client that is not there.
}
