/**
 * Types of two files of undici that are imported without the rest of it: all of undici adds 715 KB to a bundle, these
 * 460 KB, and they load in two thirds of the time. undici has no `exports` map, so its files can be imported. Its version
 * is pinned, and a test opens a connection with them.
 */
declare module 'undici/lib/dispatcher/agent.js' {
  import type { Agent } from 'undici';

  const agent: typeof Agent;
  export default agent;
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';

  /** The function behind `Dispatcher.request`. Only undici's index adds it to the prototype. */
  export default function request(
    this: Dispatcher,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>;
}
