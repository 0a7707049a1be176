/** What the tests use of packages without types. */
declare module 'llm-mock' {
  import type { RequestListener } from 'node:http';
  export function createLlmMockRouter(config: object): Promise<RequestListener>;
  export function define(config: object): object;
}

declare module 'express' {
  import type { RequestListener } from 'node:http';
  export default function express(): RequestListener & { use(router: RequestListener): void };
}
