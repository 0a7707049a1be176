import * as v from 'valibot';
import { toolClientRequestSchema, type ToolClientResponse } from '../../shared/mcp/protocol.ts';
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

/** The function that talks to servers of tools, with an issue tracker behind it: a repeated call creates a second issue. */
export class FaultyTracker {
  /** The titles of its issues. */
  readonly issues: string[] = [];
  readonly #processes: Processes;

  constructor(processes: Processes) {
    this.#processes = processes;
  }

  /** Serves an invocation of the function. */
  serve(event: unknown): Promise<ToolClientResponse> {
    const request = v.parse(toolClientRequestSchema, event);
    return this.#processes.call(`tool ${request.kind}`, (): ToolClientResponse => {
      if (request.kind !== 'call') return { kind: 'failed', reason: 'refused', mayHaveRun: false };
      this.issues.push(String(request.args['title']));
      return { kind: 'called', text: `Created ISS-${this.issues.length}.`, isError: false };
    });
  }
}
