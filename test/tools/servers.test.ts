import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type McpSimulator, startMcpSimulator } from '../simulators/mcp/index.ts';
import { MAX_SERVERS } from '../../shared/domain/index.ts';
import { TURN } from '../chat/completion-harness.ts';
import { fakeInteraction, typedCommand } from '../commands/command-harness.ts';
import { createServerCard } from '../../shared/tools/index.ts';
import { addTracker, ADMIN, ASKER, OTHER, workspaceWith } from './workspace-harness.ts';

let sim: McpSimulator;
beforeEach(async () => {
  sim = await startMcpSimulator();
});
afterEach(() => sim.close());

describe('a server', () => {
  test('is added by an administrator, with every tool off until they turn it on', async () => {
    const place = workspaceWith(sim);
    expect(await place.type(`tools add ${sim.statusUrl}`, ASKER)).toContain('Only admins');
    expect(await place.type(`tools add ${sim.statusUrl} name:status`)).toContain('search_incidents`: off');
    expect((await place.ask('status__search_incidents', {})).offered).not.toContain(
      'status__search_incidents',
    );
    await place.type('tools on status for:workspace');
    expect((await place.ask('status__search_incidents', {})).offered).not.toContain(
      'status__search_incidents',
    );
    expect(await place.type('tools use status search_incidents')).toContain('runs at once');
    const { result, step, ending } = await place.ask('status__search_incidents', { query: 'login' });
    expect(result).toContain('INC-8: Login fails for some people');
    expect(result).toContain('<untrusted>');
    expect(step).toMatchObject({ title: 'Using “search_incidents” of status', state: 'done' });
    expect(step?.details).toContain('INC-8');
    expect(ending).toMatchObject({ toolCalls: [{ source: 'status', outcome: 'done' }] });
    await place.type('tools off status for:workspace');
    expect((await place.ask('status__search_incidents', {})).offered).not.toContain(
      'status__search_incidents',
    );
  });

  test('turns a tool on and off in the menu of its card, also if the choice is delivered twice', async () => {
    const place = workspaceWith(sim);
    const card = await place.type(`tools add ${sim.statusUrl} name:status`);
    expect(card).toContain('"value":"+get_incident"');
    const choose = (value: string) => place.choose('tools.use', ['status'], value);
    const uses = async () => (await place.servers.find(TURN.thread, 'status'))?.tools.map(({ use }) => use);
    for (let delivery = 1; delivery <= 2; delivery += 1)
      expect(await choose('+get_incident')).toContain('"value":"-get_incident"');
    expect(await uses()).toEqual(['off', 'run']);
    for (let delivery = 1; delivery <= 2; delivery += 1) await choose('-get_incident');
    expect(await uses()).toEqual(['off', 'off']);
    // From a card of an earlier version; a tool that is gone.
    await choose('search_incidents');
    await choose('+gone');
    expect(await uses()).toEqual(['run', 'off']);
    await choose('search_incidents');
    expect(await uses()).toEqual(['off', 'off']);
  });

  test('is shown as off in a channel whose own list does not count, because the workspace locks it', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.statusUrl} name:status`);
    expect(await place.type('tools on status')).toContain('status (on here)');
    await place.type('settings tools lock:yes for:workspace');
    expect(await place.type('tools list status')).toContain('status (off here)');
    expect(await place.type('tools list')).toContain('status (off here)');
  });

  test('has in its menu every tool whose name the platform takes as a value', () => {
    const tool = {
      description: '',
      parameters: {},
      isReadOnly: true,
      isDestructive: false,
      use: 'off',
    } as const;
    const tools = [99, 100].map((length) => ({ ...tool, name: 'x'.repeat(length) }));
    const card = createServerCard({ name: 's', url: sim.statusUrl, auth: 'none', tools }, true, 'en');
    const values = card.parts.flatMap((part) =>
      part.kind === 'controls'
        ? part.controls.flatMap((one) => (one.kind === 'choice' ? one.options.map(({ value }) => value) : []))
        : [],
    );
    expect(values).toEqual([`+${'x'.repeat(99)}`, 'x'.repeat(100)]);
  });

  test('is for one person where an administrator says so', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.statusUrl} name:status`);
    await place.type('tools use status all');
    await place.type('tools on status U2 for:channel');
    expect((await place.ask('x', {}, OTHER)).offered).toContain('status__get_incident');
    expect((await place.ask('x', {}, ASKER)).offered).not.toContain('status__get_incident');
  });

  test.each([
    ['no address', 'tools add hello', 'https address'],
    ['a private address', 'tools add https://10.0.0.7/mcp', 'no public https address'],
    ['another protocol', 'tools add ftp://example.com/', 'https address'],
    [
      'a host that is no server',
      'tools add https://10.0.0.7/',
      'not added: 10.0.0.7 has no public https address. Check',
    ],
  ])('%s is not added', async (_, command, reason) => {
    const place = workspaceWith(sim);
    expect(await place.type(command)).toContain(reason);
    expect(await place.servers.list(TURN.thread)).toEqual([]);
  });

  test.each([
    ['slack', undefined, '`with`'],
    ['discord', undefined, '`with`'],
    ['discord', 'de', '`mit`'],
    ['discord', 'ja', '`詳細`'],
  ] as const)(
    'that cannot be added names the option for keys as %s shows it (%s)',
    async (platform, locale, option) => {
      const place = workspaceWith(sim);
      const by = { user: ADMIN, workspace: TURN.thread.workspace, roles: [], admin: true, locale };
      const options = { do: 'add', what: 'https://10.0.0.7/' };
      const typed = typedCommand('tools add https://10.0.0.7/');
      const payload = platform === 'slack' ? typed : { ...typed, name: 'tools', options };
      await place.call(fakeInteraction(payload, { platform, by }));
      expect(JSON.stringify(place.stage.answers.at(-1)?.card)).toContain(option);
    },
  );

  test('beyond the limit is not added, also if two are added at once: neither stays, and both are told', async () => {
    const place = workspaceWith(sim);
    const listed = async () => (await place.servers.list(TURN.thread)).map(({ name }) => name);
    const add = (name: string) => place.type(`tools add ${sim.trackerUrl} key name:${name}`);
    for (let number = 1; number < MAX_SERVERS; number += 1)
      await place.servers.add(TURN.thread, {
        name: `s${number}`,
        url: sim.statusUrl,
        auth: 'none',
        tools: [],
      });
    await Promise.all([add('one'), add('another')]);
    const replies = place.stage.answers.slice(-2).map(({ card }) => JSON.stringify(card));
    for (const card of replies) expect(card).toContain(`at most ${MAX_SERVERS} servers`);
    expect(await listed()).toHaveLength(MAX_SERVERS - 1);
    expect(await add('one')).toContain('one (off');
    expect(await add('another')).toContain(`at most ${MAX_SERVERS} servers`);
    // An earlier version let them through.
    await place.servers.add(TURN.thread, { name: 'z', url: sim.statusUrl, auth: 'none', tools: [] });
    expect(await listed()).toContain('z');
  });

  test('of a name that two administrators add at once with different addresses is that of the first, and the other one is told', async () => {
    const place = workspaceWith(sim);
    const urls = [sim.trackerUrl, sim.statusUrl];
    await Promise.all(urls.map((url) => place.type(`tools add ${url} key name:same`)));
    const replies = place.stage.answers.slice(-2).map(({ card }) => JSON.stringify(card));
    expect(replies.filter((card) => card.includes('is not taken'))).toHaveLength(1);
    expect(await place.servers.list(TURN.thread)).toHaveLength(1);
  });

  test('beyond the limit is removed by the second delivery where the process of the first died before it looked', async () => {
    const place = workspaceWith(sim);
    const add = (name: string) =>
      place.servers.add(TURN.thread, { name, url: sim.trackerUrl, auth: 'key', tools: [] });
    for (let number = 0; number <= MAX_SERVERS; number += 1) await add(`s${number}`);
    const by = { user: ADMIN, workspace: TURN.thread.workspace, roles: [] };
    const again = fakeInteraction(typedCommand(`tools add ${sim.trackerUrl} key name:s0`), { by });
    await place.call(again, false, true);
    expect(JSON.stringify(place.stage.answers.at(-1)?.card)).toContain(`at most ${MAX_SERVERS} servers`);
    expect(await place.servers.find(TURN.thread, 's0')).toBeUndefined();
  });

  test('that is added again keeps what was decided about its tools, as after a repeated delivery', async () => {
    const place = workspaceWith(sim);
    const add = `tools add ${sim.statusUrl} name:status`;
    await place.type(add);
    await place.type('tools use status search_incidents');
    expect(await place.type(add)).toContain('search_incidents`: reads only, runs at once');
    expect(await place.type(`tools add ${sim.trackerUrl} key name:status`)).toContain('is not taken');
    expect(await place.servers.find(TURN.thread, 'status')).toMatchObject({ url: sim.statusUrl });
  });

  test('that is down costs an answer one sentence', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.statusUrl} name:status`);
    await place.type('tools use status all');
    await place.type('tools on status');
    await sim.close();
    const { ending, step } = await place.ask('status__search_incidents', {});
    expect(ending).toMatchObject({ kind: 'answered', text: 'Well.' });
    expect(step).toMatchObject({ state: 'failed' });
    expect(step?.details).toContain('status cannot be reached');
    sim = await startMcpSimulator();
  });

  test('keeps its key encrypted, and is removed with it', async () => {
    const place = workspaceWith(sim);
    await addTracker(place, sim);
    expect(JSON.stringify(place.dynamo.items('conversations'))).not.toContain(sim.apiKey);
    expect(await place.credentials.find(TURN.thread, 'tracker')).toMatchObject({ token: sim.apiKey });
    expect(await place.type('tools remove tracker')).toContain('is removed');
    expect(await place.credentials.find(TURN.thread, 'tracker')).toBeUndefined();
    expect(await place.servers.list(TURN.thread)).toEqual([]);
  });

  test('keeps the changes of two administrators who press at the same time', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.statusUrl} name:status`);
    const choose = (tool: string) => place.choose('tools.use', ['status'], `+${tool}`);
    await Promise.all([choose('search_incidents'), choose('get_incident')]);
    const after = await place.servers.find(TURN.thread, 'status');
    expect(after?.tools.map(({ name, use }) => [name, use])).toEqual([
      ['search_incidents', 'run'],
      ['get_incident', 'run'],
    ]);
  });

  test('that is removed while its tools are changed stays removed', async () => {
    const removed: Promise<unknown>[] = [];
    const place: ReturnType<typeof workspaceWith> = workspaceWith(sim, async (request, send) => {
      const response = await send();
      if (request.kind === 'list') removed.push(place.servers.remove(TURN.thread, 'status'));
      return response;
    });
    await place.type(`tools add ${sim.statusUrl} name:status`);
    expect(await place.press('tools.refresh', ['status'])).toContain('status');
    expect(removed).toHaveLength(2);
    expect(await place.servers.list(TURN.thread)).toEqual([]);
  });

  test('that changes a tool has it turned off until an administrator looks again', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.statusUrl} name:status`);
    await place.type('tools use status all');
    await place.servers.change(TURN.thread, 'status', ({ tools, ...server }) => ({
      ...server,
      tools: tools.map((tool) =>
        tool.name === 'get_incident' ? { ...tool, description: 'What it said before' } : tool,
      ),
    }));
    await place.press('tools.refresh', ['status']);
    const after = await place.servers.find(TURN.thread, 'status');
    expect(after?.tools.map(({ name, use }) => [name, use])).toEqual([
      ['search_incidents', 'run'],
      ['get_incident', 'off'],
    ]);
  });
});

test('the log lists the calls for administrators', async () => {
  const place = workspaceWith(sim);
  await place.type(`tools add ${sim.statusUrl} name:status`);
  expect(await place.type('tools log')).toContain('No tool was called yet');
  place.logged.push({ at: 0, by: 'U1', tool: 'find', source: 'status', ms: 1_200, outcome: 'failed' });
  expect(await place.type('tools log')).toContain('status: find, 1.2 s, failed');
});
