import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { handleToolRequest } from '../../shared/mcp/index.ts';
import { toolClientResponseSchema } from '../../shared/mcp/protocol.ts';
import { createPublicLookup } from '../../shared/runtime/public-address.ts';
import { type Form, type Phase, startHostileServer } from './hostile-server.ts';
import { type Case, CASES } from './misbehaviors.ts';

/** Servers that are used at the same time: each misbehaves in one way at a time. */
const FORMS: readonly Form[] = ['json', 'sse'];
const PHASES: readonly Phase[] = ['initialize', 'list', 'call'];
type Server = Awaited<ReturnType<typeof startHostileServer>>;
const servers = new Map<string, Server>();

beforeAll(async () => {
  for (const phase of PHASES) for (const form of FORMS) servers.set(phase + form, await startHostileServer());
});
afterAll(() => Promise.all([...servers.values()].map((server) => server.close())));

/** No response of a server needs longer, except those that end at their deadline. */
const DEADLINE_MS = 20_000;
const SHORT_DEADLINE_MS = 60;

async function meet({ misbehave, isSlow }: Case, phase: Phase, form: Form) {
  const server = servers.get(phase + form);
  if (!server) throw new Error('there is no such server');
  const { url, calls } = server.behave(phase, form, misbehave);
  const action = phase === 'list' ? { kind: 'list' } : { kind: 'call', tool: 'find', args: { words: 'sky' } };
  const timeoutMs = isSlow ? SHORT_DEADLINE_MS : DEADLINE_MS;
  const rules = { lookup: createPublicLookup(), allowedOrigins: [server.origin] };
  const response = await handleToolRequest({ ...action, url, timeoutMs }, rules);
  // The short deadline may end while the call is on its way: then nobody knows, and the server counts it later.
  const isOnItsWay = isSlow && phase === 'call';
  return { response, calls: calls(), isOnItsWay };
}
type Meeting = Awaited<ReturnType<typeof meet>>;

const HIDDEN = /[\u200B\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E01FF}]|[\uD800-\uDFFF](?![\uDC00-\uDFFF])/u;

/** Whatever the server did: what is wrong with the response, or with what it says about the call. */
function findHarm({ response, calls, isOnItsWay }: Meeting): string[] {
  const text = JSON.stringify(response);
  const harm: Readonly<Record<string, boolean>> = {
    'is not valid': !v.is(toolClientResponseSchema, response),
    'was sent twice': calls > 1,
    'has hidden characters': HIDDEN.test(text),
    'is too long': text.length > 200_000,
    'has a result without a call': response.kind === 'called' && calls !== 1,
    'says that a call may have run that was not sent':
      response.kind === 'failed' && response.mayHaveRun && calls === 0 && !isOnItsWay,
    'changed the prototype of objects': Reflect.get({}, 'polluted') !== undefined,
  };
  return Object.keys(harm).filter((name) => harm[name]);
}

describe('a server that misbehaves does no harm:', () => {
  test.each(CASES.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const meetings = one.phases.flatMap((phase) => FORMS.map((form) => meet(one, phase, form)));
    const outcomes = await Promise.all(meetings);
    expect(outcomes.flatMap((outcome) => findHarm(outcome))).toEqual([]);
    const slow = outcomes.filter(
      ({ response }) => response.kind === 'failed' && response.reason === 'too-slow',
    );
    expect(slow).toHaveLength(one.isSlow ? outcomes.length : 0);
  });

  test('there are more than 500 ways', () => {
    const ways = CASES.reduce((count, { phases }) => count + phases.length * FORMS.length, 0);
    expect(ways).toBeGreaterThan(500);
  });
});
