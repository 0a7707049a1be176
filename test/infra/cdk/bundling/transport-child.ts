import { createRequire } from 'node:module';
import * as v from 'valibot';
import { AttemptTimeouts } from '../../../../shared/upstream/http/attempt-timeouts.ts';
import type * as transportModule from '../../../../shared/upstream/http/transport.ts';

// `node transport-child.ts BUNDLE URL`: sends a request with the bundled transport and prints the response. In a process
// of its own, as on Lambda: all of undici would replace the dispatcher of this process's `fetch`.

const Transport = v.object({
  createAgent: v.custom<typeof transportModule.createAgent>((value) => typeof value === 'function'),
  send: v.custom<typeof transportModule.send>((value) => typeof value === 'function'),
  readText: v.custom<typeof transportModule.readText>((value) => typeof value === 'function'),
});

const [bundle = '', url = ''] = process.argv.slice(2);
const { createAgent, send, readText } = v.parse(Transport, createRequire(import.meta.url)(bundle));
const timeouts = new AttemptTimeouts({ now: () => 0, sleep: () => Promise.resolve() }, {});
const agent = createAgent(1_000, false);
const request = { method: 'POST', url: new URL(url), headers: {}, body: 'a question' } as const;
const response = await send(agent, request, timeouts);
const body = await readText(response, 1_000, timeouts);
await agent.close();
const hasGlobalDispatcher = Object.getOwnPropertySymbols(globalThis).some((symbol) =>
  symbol.description?.startsWith('undici.globalDispatcher'),
);
process.stdout.write(JSON.stringify({ status: response.status, body, hasGlobalDispatcher }));
