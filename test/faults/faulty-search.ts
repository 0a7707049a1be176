import type { Budgets } from '../../shared/billing/index.ts';
import type { ToolSource } from '../../shared/ports/index.ts';
import type { Time } from '../../shared/runtime/time.ts';
import { createSearchClient, createSearchTools } from '../../shared/search/index.ts';
import type { Processes } from './processes.ts';

/** The price of a search in attodollars: half a cent. */
const ATTO = 5_000_000_000_000_000n;

/** The web search with its own client, and a service that finds one page for everything. */
export class FaultySearch {
  /** What was searched for. */
  readonly queries: string[] = [];
  readonly #processes: Processes;
  readonly #time: Time;
  #reservations = 0;

  constructor(processes: Processes, time: Time) {
    this.#processes = processes;
    this.#time = time;
  }

  /** The source of the tool, as a worker has it. */
  source(budgets: Budgets): ToolSource {
    const serve = (url: string): Response => {
      this.queries.push(decodeURIComponent(url));
      const results = [{ title: 'Page', url: 'https://example.com/', description: 'It is so.' }];
      return Response.json({ type: 'search', web: { results } });
    };
    return createSearchTools({
      service: 'brave',
      search: createSearchClient({
        service: 'brave',
        baseUrl: undefined,
        apiKey: () => Promise.resolve('key'),
        fetch: (url) =>
          this.#processes.call('search', () => serve(url instanceof Request ? url.url : url.toString())),
        time: this.#time,
      }),
      atto: ATTO,
      takePermit: () => Promise.resolve(true),
      budgets,
      log: () => undefined,
      createId: () => `search-${(this.#reservations += 1)}`,
    });
  }
}
