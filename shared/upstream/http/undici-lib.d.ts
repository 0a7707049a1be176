/**
 * Two files of undici, without the rest of it: the whole is 715 KB of bundle, these are 460 KB and load in two thirds
 * of the time. undici has no `exports` map, so its files can be imported; its version is pinned, and a test opens a
 * connection with them.
 */
declare module 'undici/lib/dispatcher/agent.js' {
  import type { Agent } from 'undici';

  const agent: typeof Agent;
  export default agent;
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';

  /** The method behind `Dispatcher.request`, which only undici's own index puts there. */
  export default function request(
    this: Dispatcher,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>;
}
