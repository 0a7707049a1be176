import * as v from 'valibot';
import {
  type ToolClientRequest,
  toolClientRequestSchema,
  type ToolClientResponse,
} from '../../shared/mcp/protocol.ts';
import type { ToolServer } from '../../shared/storage/index.ts';
import type { Processes } from './processes.ts';

/** The tool with an effect: `modelName` is its name for models. */
export const CREATE_ISSUE = { name: 'create_issue', modelName: 'tracker__create_issue' } as const;

/** The tracker as administrators stored it: its tool asks first. */
export const TRACKER: ToolServer = {
  name: 'tracker',
  url: 'https://tracker.example.com/mcp',
  auth: 'none',
  tools: [
    {
      name: CREATE_ISSUE.name,
      description: 'Creates an issue.',
      parameters: { type: 'object', properties: { title: { type: 'string' } } },
      isReadOnly: false,
      isDestructive: false,
      use: 'ask',
    },
  ],
};

/** The page that is at every address. */
export const PAGE = {
  title: 'Refunds',
  text: Array.from(
    { length: 60 },
    (_, n) => `Refunds of kind ${n} take ${n} days. ${'Ask the till. '.repeat(60)}`,
  ).join('\n\n'),
} as const;

type Webhook = Extract<ToolClientRequest, { kind: 'webhook' }>;

/**
 * The function that talks to servers of strangers, with an issue tracker, a page, and a receiver of webhooks behind it. A repeated call creates a
 * second issue.
 */
export class FaultyTracker {
  /** The titles of its issues. */
  readonly issues: string[] = [];
  /** The webhooks that arrived. */
  readonly webhooks: Webhook[] = [];
  readonly #processes: Processes;

  constructor(processes: Processes) {
    this.#processes = processes;
  }

  /** Serves an invocation of the function. */
  serve(event: unknown): Promise<ToolClientResponse> {
    const request = v.parse(toolClientRequestSchema, event);
    return this.#processes.call(`tool ${request.kind}`, (): ToolClientResponse => {
      switch (request.kind) {
        case 'call':
          this.issues.push(String(request.args['title']));
          return { kind: 'called', text: `Created ISS-${this.issues.length}.`, isError: false };
        case 'webhook':
          this.webhooks.push(request);
          return { kind: 'delivered', status: 200 };
        case 'page':
          return { kind: 'page', url: request.url, ...PAGE };
        case 'list':
        case 'authorize':
        case 'exchange':
        case 'refresh':
          return { kind: 'failed', reason: 'refused', mayHaveRun: false };
      }
    });
  }
}
