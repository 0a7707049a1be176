import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ToolClientRequest, ToolClientResponse } from '../../shared/mcp/protocol.ts';
import { ToolCredentials } from '../../shared/storage/index.ts';
import { requestToolServer } from '../../shared/tools/request-server.ts';
import { plainEncryptor } from '../fakes/plain-encryptor.ts';
import { TURN } from '../chat/completion-harness.ts';
import { type McpSimulator, startMcpSimulator } from '../simulators/mcp/index.ts';
import { TestTime } from '../upstream/time.ts';
import { signIn } from './sign-in-harness.ts';
import { ADMIN, type Intercept, type Workspace, workspaceWith } from './workspace-harness.ts';

// Renewals of an access token by several workers. The simulated server accepts a refresh token once, and ends the sign-in if it is used again.

let sim: McpSimulator;
beforeEach(async () => {
  sim = await startMcpSimulator();
});
afterEach(() => sim.close());

const LIST = { kind: 'call', tool: 'list_issues', args: {} } as const;
const LISTED = { kind: 'called', text: 'No issue.', isError: false };

/** What a test sees of a process: its writes of leases, its decryptions and its requests. `signal` stops its call. */
type Watch = {
  readonly onWrite?: () => void;
  readonly onDecrypt?: () => void;
  readonly onRequest?: (request: ToolClientRequest) => void;
  readonly signal?: AbortSignal;
};

/** Takes the lease for the sign-in of the administrator, as another process does. */
async function claimed({ credentials }: Pick<Workspace, 'credentials'>) {
  const stored = await credentials.find(TURN.thread, 'tracker', ADMIN);
  const of = { place: TURN.thread, server: 'tracker', user: ADMIN, version: stored?.version ?? '' };
  expect(await credentials.claimRenewal(of)).toBeDefined();
  return of;
}

/** A workspace whose sign-in has expired, and processes that share its table. */
async function expired(auth: 'oauth' | 'person' = 'oauth') {
  const place = workspaceWith(sim);
  await place.type(`tools add ${sim.trackerUrl} ${auth} name:tracker`);
  await signIn(place, ADMIN);
  sim.expireTokens();
  const renewals: ToolClientResponse[] = [];
  const { toolServers } = place.context;
  const process = (
    intercept: Intercept = (_, send) => send(),
    time = place.time,
    { onWrite, onDecrypt, onRequest, signal = new AbortController().signal }: Watch = {},
  ) => {
    const { dynamo } = place;
    const update: typeof dynamo.update = (input) => {
      onWrite?.();
      return dynamo.update(input);
    };
    const decrypt: typeof plainEncryptor.decrypt = (...sealed) => {
      onDecrypt?.();
      return plainEncryptor.decrypt(...sealed);
    };
    const store = { dynamo: { ...dynamo, update }, table: 'conversations', now: time.now };
    const request = async (asked: ToolClientRequest, stop: AbortSignal) => {
      onRequest?.(asked);
      const send = () => toolServers.request(asked, stop);
      if (asked.kind !== 'refresh') return send();
      const response = await intercept(asked, send);
      renewals.push(response);
      return response;
    };
    const credentials = new ToolCredentials({ ...store, encryptor: { ...plainEncryptor, decrypt } });
    const context = { toolServers: { ...toolServers, credentials, request }, time };
    const server = { name: 'tracker', url: sim.trackerUrl, auth };
    return () => requestToolServer(TURN.thread, server, LIST, ADMIN, context, signal);
  };
  return { place, process, renewals };
}

/** A clock whose sleeps last until something has happened. */
class WaitingTime extends TestTime {
  readonly #until: () => Promise<unknown>;
  constructor(until: () => Promise<unknown>) {
    super();
    this.#until = until;
  }
  override readonly sleep = async (): Promise<void> => {
    await this.#until();
  };
}

test('two processes that need a new token at once use the refresh token once, and both get the new one', async () => {
  const { process, renewals } = await expired();
  const [isSent, isAwaited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = process(async (_, send) => {
    isSent.resolve();
    await isAwaited.promise;
    return send();
  })();
  await isSent.promise;
  const time = new WaitingTime(() => {
    isAwaited.resolve();
    return first;
  });
  // Without a lease, the second would not wait, but use the refresh token, too.
  const second = process((_, send) => {
    isAwaited.resolve();
    return send();
  }, time)();
  expect(await Promise.all([first, second])).toEqual([LISTED, LISTED]);
  expect(renewals.map(({ kind }) => kind)).toEqual(['authorized']);
});

test('a renewal whose process died is repeated when its lease has ended; until then nobody is told to sign in again', async () => {
  const { place, process } = await expired('person');
  const stored = await place.credentials.find(TURN.thread, 'tracker', ADMIN);
  const of = { place: TURN.thread, server: 'tracker', user: ADMIN, version: stored?.version ?? '' };
  expect(await place.credentials.claimRenewal(of)).toBe(place.time.now() + 30_000);
  const call = process();
  const before = place.time.now();
  expect(await call()).toEqual({ kind: 'failed', reason: 'too-slow', mayHaveRun: false });
  expect(place.time.now() - before).toBeLessThan(10_000);
  place.time.advance(30_000);
  expect(await call()).toEqual(LISTED);
  // The lease ended with the renewal.
  sim.expireTokens();
  expect(await call()).toEqual(LISTED);
});

test('a sign-in that is completed while an older token is renewed stays, and is used', async () => {
  const { place, process, renewals } = await expired();
  const call = process(async (_, send) => {
    const tokens = await send();
    await place.credentials.save(TURN.thread, 'tracker', { token: sim.apiKey });
    return tokens;
  });
  expect(await call()).toEqual(LISTED);
  expect(renewals.map(({ kind }) => kind)).toEqual(['authorized']);
  expect(await place.credentials.find(TURN.thread, 'tracker')).toMatchObject({ token: sim.apiKey });
});

test.each([
  // Nothing was sent.
  ['not-public', 2],
  // The refresh token may have been used, also before a gateway answered 502 or 504: only after the lease is it sent once more.
  ['refused', 1],
  ['too-large', 1],
  ['unreachable', 1],
  ['unavailable', 1],
] as const)(
  'a renewal without an answer (%s) is shown as that, and not as a missing sign-in',
  async (reason, attempts) => {
    const { place, process, renewals } = await expired('person');
    let isDown = true;
    const call = process((_, send) =>
      isDown ? Promise.resolve({ kind: 'failed', reason, mayHaveRun: false }) : send(),
    );
    expect(await call()).toEqual({ kind: 'failed', reason, mayHaveRun: false });
    expect(await call()).toMatchObject({ kind: 'failed' });
    expect(renewals).toHaveLength(attempts);
    isDown = false;
    place.time.advance(30_000);
    expect(await call()).toEqual(LISTED);
  },
);

test('a renewal whose answer has no usable token ends in a new sign-in, and is tried again only after the lease', async () => {
  const { place, process, renewals } = await expired('person');
  let isOdd = true;
  const call = process((_, send) =>
    isOdd ? Promise.resolve({ kind: 'failed', reason: 'invalid', mayHaveRun: false }) : send(),
  );
  expect(await call()).toEqual({ kind: 'sign-in' });
  expect(await call()).toMatchObject({ kind: 'failed', reason: 'too-slow' });
  expect(renewals).toHaveLength(1);
  isOdd = false;
  place.time.advance(30_000);
  expect(await call()).toEqual(LISTED);
});

test('who waits for another process neither writes nor decrypts, and the call gets the time that is left', async () => {
  const { place, process } = await expired('person');
  const of = await claimed(place);
  const counts = { writes: 0, decryptions: 0 };
  const sent: ToolClientRequest[] = [];
  let sleeps = 0;
  const time = new WaitingTime(async () => {
    sleeps += 1;
    time.advance(500);
    if (sleeps < 10) return;
    await place.credentials.renew(of, { token: sim.apiKey });
  });
  const call = process(undefined, time, {
    onWrite: () => (counts.writes += 1),
    onDecrypt: () => (counts.decryptions += 1),
    onRequest: (request) => sent.push(request),
  });
  expect(await call()).toEqual(LISTED);
  expect(sleeps).toBe(10);
  // The first attempt to take the lease.
  expect(counts.writes).toBe(1);
  // Three parts of what was read at first, and the new token.
  expect(counts.decryptions).toBe(4);
  expect(sent).toMatchObject([{ timeoutMs: 18_000 }, { timeoutMs: 13_000 }]);
});

test('a call that is stopped no longer waits for another process', async () => {
  const { place, process, renewals } = await expired('person');
  await claimed(place);
  const stop = new AbortController();
  let sleeps = 0;
  const time = new WaitingTime(() => {
    sleeps += 1;
    stop.abort(new Error('stopped'));
    return Promise.resolve();
  });
  const call = process(undefined, time, { signal: stop.signal });
  expect(await call()).toEqual({ kind: 'failed', reason: 'too-slow', mayHaveRun: false });
  expect(sleeps).toBe(1);
  expect(renewals).toEqual([]);
});

test('a call for which a renewal leaves no time is not sent', async () => {
  const { place, process } = await expired('person');
  const sent: ToolClientRequest[] = [];
  const slow: Intercept = (_, send) => {
    place.time.advance(17_500);
    return send();
  };
  const call = process(slow, place.time, { onRequest: (request) => sent.push(request) });
  expect(await call()).toEqual({ kind: 'failed', reason: 'too-slow', mayHaveRun: false });
  expect(sent.map(({ kind }) => kind)).toEqual(['call', 'refresh']);
  // The new token was stored.
  expect(await call()).toEqual(LISTED);
});

test('a renewal that the server refuses ends in a new sign-in, in every process', async () => {
  const { process } = await expired('person');
  const call = process(() => Promise.resolve({ kind: 'failed', reason: 'unauthorized', mayHaveRun: false }));
  expect(await call()).toEqual({ kind: 'sign-in' });
  expect(await call()).toEqual({ kind: 'sign-in' });
});
