import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { workspaceId } from '../../shared/domain/index.ts';
import { type McpSimulator, startMcpSimulator } from '../simulators/mcp/index.ts';
import { addTracker, ASKER, OTHER, type Workspace, workspaceWith } from './workspace-harness.ts';

let sim: McpSimulator;
beforeEach(async () => {
  sim = await startMcpSimulator();
});
afterEach(() => sim.close());

const callId = (place: Workspace): string => {
  const text = JSON.stringify(place.cards());
  return /"tools\.run","args":\["([0-9a-f]{32})"\]/u.exec(text)?.[1] ?? '';
};

async function proposed(place: Workspace): Promise<string> {
  await addTracker(place, sim);
  const { result, ending } = await place.ask('tracker__create_issue', { title: 'Broken' });
  expect(result).toContain('Nothing has happened yet');
  expect(ending).toMatchObject({ toolCalls: [{ source: 'tracker', outcome: 'proposed' }] });
  expect(sim.issues).toEqual([]);
  return callId(place);
}

describe('a tool with an effect', () => {
  test('shows what it will do, and runs once when the person who asked presses Run twice', async () => {
    const place = workspaceWith(sim);
    const id = await proposed(place);
    expect(JSON.stringify(place.cards())).toContain('Broken');
    await place.press('tools.run', [id], OTHER);
    expect(sim.issues).toEqual([]);
    await Promise.all([place.press('tools.run', [id], ASKER), place.press('tools.run', [id], ASKER)]);
    expect(sim.issues).toHaveLength(1);
    expect(JSON.stringify(place.cards())).toContain('Created ISS-1.');
    expect(place.logged.at(-1)).toMatchObject({ tool: 'create_issue', outcome: 'done', by: ASKER });
  });

  test('whose buttons are still seen after it ran is not repeated: whoever presses is told how it ended', async () => {
    const place = workspaceWith(sim);
    const id = await proposed(place);
    await place.press('tools.run', [id], ASKER);
    expect(await place.press('tools.run', [id], ASKER)).toContain('Done.');
    expect(await place.press('tools.cancel', [id], ASKER)).toContain('Done.');
    expect(sim.issues).toHaveLength(1);
    expect(JSON.stringify(place.cards())).toContain('Created ISS-1.');
  });

  test('cannot be decided from another workspace, also by a person with the same id', async () => {
    const place = workspaceWith(sim);
    const id = await proposed(place);
    const workspace = workspaceId('T2');
    const card = await place.press('tools.run', [id], ASKER, { workspace });
    expect(card).toContain('can no longer be decided');
    await place.press('tools.cancel', [id], ASKER, { workspace });
    expect(await place.servers.list({ platform: 'slack', workspace })).toEqual([]);
    expect(sim.issues).toEqual([]);
    await place.press('tools.run', [id], ASKER);
    expect(sim.issues).toHaveLength(1);
  });

  test('has one card for the same request, also in a later attempt at the answer', async () => {
    const place = workspaceWith(sim);
    await proposed(place);
    await place.ask('tracker__create_issue', { title: 'Broken' });
    expect(place.cards()).toHaveLength(1);
  });

  test('does not run after Cancel', async () => {
    const place = workspaceWith(sim);
    const id = await proposed(place);
    await place.press('tools.cancel', [id], ASKER);
    await place.press('tools.run', [id], ASKER);
    expect(sim.issues).toEqual([]);
    expect(JSON.stringify(place.cards())).toContain('Cancelled. Nothing ran.');
  });

  test('is not repeated when the worker died between the call and its record: the card says that it may have run', async () => {
    let dies = true;
    const { promise: death, resolve: die } = Promise.withResolvers<void>();
    const place = workspaceWith(sim, async (request, send) => {
      const response = await send();
      if (request.kind !== 'call' || !dies) return response;
      die();
      return new Promise<never>(() => undefined);
    });
    const id = await proposed(place);
    const again = { id: 'the-same-press' };
    void place.press('tools.run', [id], ASKER, again);
    await death;
    expect(sim.issues).toHaveLength(1);
    dies = false;
    await place.press('tools.run', [id], ASKER, again);
    expect(sim.issues).toHaveLength(1);
    expect(JSON.stringify(place.cards())).toContain('It may have run: look at tracker. I do not repeat it.');
    expect(place.logged.at(-1)).toMatchObject({ tool: 'create_issue', outcome: 'failed', by: ASKER });
    await place.press('tools.run', [id], ASKER);
    expect(sim.issues).toHaveLength(1);
  });

  test('whose outcome is unknown is not repeated', async () => {
    const place = workspaceWith(sim, (request, send) =>
      request.kind === 'call'
        ? Promise.resolve({ kind: 'failed', reason: 'too-slow', mayHaveRun: true })
        : send(),
    );
    const id = await proposed(place);
    await place.press('tools.run', [id], ASKER);
    expect(JSON.stringify(place.cards())).toContain('It may have run');
    expect(JSON.stringify(place.cards())).not.toContain('tools.run');
  });

  test('that surely did not run can be tried again', async () => {
    let isDown = true;
    const place = workspaceWith(sim, (request, send) =>
      request.kind === 'call' && isDown
        ? Promise.resolve({ kind: 'failed', reason: 'unreachable', mayHaveRun: false })
        : send(),
    );
    const id = await proposed(place);
    await place.press('tools.run', [id], ASKER);
    expect(JSON.stringify(place.cards())).toContain('tracker cannot be reached');
    isDown = false;
    await place.press('tools.run', [id], ASKER);
    expect(sim.issues).toHaveLength(1);
  });

  test('that could not be sent, because its key could not be read, did not run, and keeps its warning', async () => {
    const place = workspaceWith(sim);
    await addTracker(place, sim);
    await place.ask('tracker__close_issue', { id: 'ISS-1' });
    const id = callId(place);
    const warning = 'It may change or delete something for good.';
    expect(JSON.stringify(place.cards())).toContain(warning);
    const find = place.credentials.find.bind(place.credentials);
    place.credentials.find = () => Promise.reject(new Error('KMS'));
    await place.press('tools.run', [id], ASKER);
    const card = JSON.stringify(place.cards());
    expect(card).toContain('Tools are not available right now; try again');
    expect(card).toContain(warning);
    expect(place.events).toContain('tools.send-failed');
    place.credentials.find = find;
    await place.press('tools.run', [callId(place)], ASKER);
    expect(JSON.stringify(place.cards())).toContain('There is no issue ISS-1.');
  });

  test.each([
    ['is gone', 'tools remove tracker'],
    ['is off', 'tools use tracker none'],
  ])('keeps its warning when its server or the tool %s', async (_, command) => {
    const place = workspaceWith(sim);
    await addTracker(place, sim);
    await place.ask('tracker__close_issue', { id: 'ISS-1' });
    await place.type(command);
    await place.press('tools.run', [callId(place)], ASKER);
    expect(JSON.stringify(place.cards())).toContain('tracker refused the request');
    expect(JSON.stringify(place.cards())).toContain('It may change or delete something for good.');
  });

  test('that deletes nothing gets no warning after it could not run', async () => {
    const place = workspaceWith(sim, (request, send) =>
      request.kind === 'call'
        ? Promise.resolve({ kind: 'failed', reason: 'unreachable', mayHaveRun: false })
        : send(),
    );
    const id = await proposed(place);
    await place.press('tools.run', [id], ASKER);
    expect(callId(place)).toBe(id);
    expect(JSON.stringify(place.cards())).not.toContain('for good');
  });

  test('whose arguments the server refuses did not run: the card says why, and Run works again', async () => {
    const place = workspaceWith(sim);
    await addTracker(place, sim);
    await place.ask('tracker__create_issue', { title: 7 });
    const id = callId(place);
    for (let press = 0; press < 2; press += 1) {
      await place.press('tools.run', [id], ASKER);
      expect(JSON.stringify(place.cards())).toContain('Invalid arguments');
      expect(callId(place)).toBe(id);
      expect(place.logged).toHaveLength(press + 1);
    }
    expect(place.logged.at(-1)).toMatchObject({ tool: 'create_issue', outcome: 'failed' });
    expect(sim.issues).toEqual([]);
  });

  test('that was turned off since does not run', async () => {
    const place = workspaceWith(sim);
    const id = await proposed(place);
    await place.type('tools use tracker list_issues');
    await place.press('tools.run', [id], ASKER);
    expect(sim.issues).toEqual([]);
  });

  test('does not run after its server was turned off in the channel, or for the person who asked', async () => {
    const place = workspaceWith(sim);
    const id = await proposed(place);
    await place.type('tools off tracker for:workspace');
    await place.press('tools.run', [id], ASKER);
    await place.type(`tools on tracker for:workspace with:<@${OTHER}>`);
    await place.press('tools.run', [id], ASKER);
    expect(sim.issues).toEqual([]);
    await place.type('tools on tracker for:workspace');
    await place.press('tools.run', [id], ASKER);
    expect(sim.issues).toHaveLength(1);
  });

  test('whose arguments the person could not read is not proposed', async () => {
    const place = workspaceWith(sim);
    await addTracker(place, sim);
    const { result } = await place.ask('tracker__create_issue', { title: 'x'.repeat(2_000) });
    expect(result).toContain('too long');
    expect(place.cards()).toEqual([]);
  });
});
