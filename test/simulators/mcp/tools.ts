import * as v from 'valibot';

type JsonObject = Readonly<Record<string, unknown>>;

/** A tool of a simulated server. `run` returns its text, or throws a ToolFailure. */
export type SimulatedTool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: JsonObject;
  readonly run: (args: unknown) => string;
};

/** The tool ran and failed: `isError` in the result. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

/** The arguments do not fit the schema: an error of the protocol. */
export class InvalidArguments extends Error {
  override readonly name = 'InvalidArguments';
}

function parse<T>(schema: v.GenericSchema<unknown, T>, args: unknown): T {
  const { success, output } = v.safeParse(schema, args);
  if (!success) throw new InvalidArguments();
  return output;
}

const object = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
});
const words = { type: 'string', description: 'A few words' };

const INCIDENTS = [
  { id: 'INC-7', title: 'Uploads are slow', state: 'resolved', text: 'A disk was full. It was replaced.' },
  { id: 'INC-8', title: 'Login fails for some people', state: 'open', text: 'We look for the cause.' },
] as const;

/** The tools of the status page. They read only. */
export const statusTools: readonly SimulatedTool[] = [
  {
    name: 'search_incidents',
    title: 'Search incidents',
    description: 'Finds incidents of the status page by words in their title. Without words: all.',
    inputSchema: object({ query: words }, []),
    annotations: { readOnlyHint: true },
    run: (args) => {
      const { query = '' } = parse(v.object({ query: v.optional(v.string()) }), args);
      const matches = INCIDENTS.filter(({ title }) => title.toLowerCase().includes(query.toLowerCase()));
      return matches.map(({ id, title, state }) => `${id}: ${title} (${state})`).join('\n') || 'No incident.';
    },
  },
  {
    name: 'get_incident',
    title: 'Read an incident',
    description: 'Returns one incident with its text.',
    inputSchema: object({ id: { type: 'string', description: 'Such as INC-7' } }, ['id']),
    annotations: { readOnlyHint: true },
    run: (args) => {
      const { id } = parse(v.object({ id: v.string() }), args);
      const incident = INCIDENTS.find((one) => one.id === id);
      if (!incident) throw new ToolFailure(`There is no incident ${id}.`);
      return `${incident.id}: ${incident.title} (${incident.state})\n${incident.text}`;
    },
  },
];

/** An issue of the tracker. */
export type SimulatedIssue = { readonly id: string; readonly title: string; readonly open: boolean };

/** The tools of an issue tracker, and its issues. A repeated call creates a second issue. */
export function trackerTools(): {
  readonly tools: readonly SimulatedTool[];
  readonly issues: SimulatedIssue[];
} {
  const issues: SimulatedIssue[] = [];
  const list: SimulatedTool = {
    name: 'list_issues',
    title: 'List issues',
    description: 'Lists the issues of the tracker.',
    inputSchema: object({}, []),
    annotations: { readOnlyHint: true },
    run: () =>
      issues.map(({ id, title, open }) => `${id}: ${title} (${open ? 'open' : 'closed'})`).join('\n') ||
      'No issue.',
  };
  const create: SimulatedTool = {
    name: 'create_issue',
    title: 'Create an issue',
    description: 'Creates an issue.',
    inputSchema: object({ title: { type: 'string', description: 'The title' } }, ['title']),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    run: (args) => {
      const { title } = parse(v.object({ title: v.string() }), args);
      const id = `ISS-${issues.length + 1}`;
      issues.push({ id, title, open: true });
      return `Created ${id}.`;
    },
  };
  const close: SimulatedTool = {
    name: 'close_issue',
    title: 'Close an issue',
    description: 'Closes an issue.',
    inputSchema: object({ id: { type: 'string' } }, ['id']),
    annotations: { readOnlyHint: false, destructiveHint: true },
    run: (args) => {
      const { id } = parse(v.object({ id: v.string() }), args);
      const at = issues.findIndex((issue) => issue.id === id);
      const issue = issues[at];
      if (!issue) throw new ToolFailure(`There is no issue ${id}.`);
      issues[at] = { ...issue, open: false };
      return `Closed ${id}.`;
    },
  };
  return { tools: [list, create, close], issues };
}
