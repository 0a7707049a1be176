import { afterEach, describe, expect, test } from '@jest/globals';
import { Routes } from 'discord.js';
import * as v from 'valibot';
import { COMMANDS, DEFER, ORIGINAL, start, stopAll } from './app-harness.ts';
import { ADA, DEFAULT_IDENTITY, ELSEWHERE, GENERAL, GRACE, LOUNGE } from './identity.ts';
import { signed } from './keys.ts';
import { setUp } from './harness.ts';

afterEach(stopAll);

describe('a slash command', () => {
  test('is answered by the callback route after an empty response with 202', async () => {
    const up = await start((payload) => {
      const { id, token } = v.parse(v.object({ id: v.string(), token: v.string() }), payload);
      const url = `${up.simulator.apiUrl}/interactions/${id}/${token}/callback`;
      const headers = { 'content-type': 'application/json' };
      // After the response, as a worker does that another process has told.
      setTimeout(() => void fetch(url, { method: 'POST', headers, body: JSON.stringify(DEFER) }), 20);
      return 202;
    });
    const outcome = await up.simulator.slash('ada', GENERAL, 'ask', { question: 'why?' });
    expect(outcome).toMatchObject({ acknowledged: true });
  });

  test('is signed, deferred, answered by its token, and followed up', async () => {
    const { simulator, app, call, core } = await start(() => DEFER);
    expect(await simulator.slash('lin', GENERAL, 'ask', { question: 'why?' })).toMatchObject({
      acknowledged: true,
    });
    expect(app.received[0]?.payload).toMatchObject({
      type: 2,
      guild_id: core.guild,
      channel: { id: GENERAL, type: 0 },
      member: { user: { username: 'lin' } },
      locale: 'zh-CN',
      authorizing_integration_owners: { '0': core.guild },
      attachment_size_limit: 10_485_760,
      data: { name: 'ask', type: 1, options: [{ name: 'question', type: 3, value: 'why?' }] },
    });
    expect(core.messages()).toMatchObject([{ content: '', flags: 128 }]);
    expect(await call('PATCH', ORIGINAL, { content: 'because' })).toMatchObject({ status: 200, flags: 0 });
    expect(await call('POST', '', { content: 'and so', flags: 64 })).toMatchObject({ flags: 64 });
    expect(core.messages()).toHaveLength(1);
    expect(core.messages(GENERAL, core.userNamed('lin').id)).toHaveLength(2);
    expect(await call('DELETE', ORIGINAL)).toMatchObject({ status: 204 });
    expect(await call('GET', ORIGINAL)).toMatchObject({ status: 404, code: 10008 });
  });

  test('has the registered names, whatever localized name the person sees', async () => {
    const { simulator, app, core } = await start(() => DEFER);
    expect(core.userNamed('ada').locale).not.toBe('de');
    await simulator.slash('ada', GENERAL, 'frage', { was: 'warum?' });
    const options = [{ name: 'question', type: 3, value: 'warum?' }];
    expect(app.received[0]?.payload).toMatchObject({ data: { name: 'ask', options } });
  });

  test('carries files, and requests autocomplete while it is typed', async () => {
    const { simulator, app } = await start(({ type }) =>
      type === 4 ? { type: 8, data: { choices: [{ name: 'Big', value: 'big' }] } } : DEFER,
    );
    const file = { name: 'a.ogg', content: Buffer.from('x'), contentType: 'audio/ogg' };
    await simulator.slash('ada', GENERAL, 'ask', { question: 'x', file });
    const { data } = v.parse(
      v.object({
        data: v.object({
          resolved: v.object({ attachments: v.record(v.string(), v.object({ url: v.string() })) }),
        }),
      }),
      app.received[0]?.payload,
    );
    const [attachment] = Object.values(data.resolved.attachments);
    expect(attachment?.url).toContain('/ephemeral-attachments/');
    expect(await (await fetch(attachment?.url ?? '')).text()).toBe('x');
    const choices = await simulator.complete('ada', GENERAL, 'ask', { model: 'b' }, 'model');
    expect(choices).toEqual([{ name: 'Big', value: 'big' }]);
    expect(app.received[1]?.payload).toMatchObject({
      type: 4,
      data: { options: [{ name: 'model', value: 'b', focused: true }] },
    });
  });

  test('without a response fails after three seconds', async () => {
    const { simulator, app, clock, core } = await start(() => 'never');
    const outcome = simulator.slash('ada', GENERAL, 'ask', { question: 'x' });
    while (app.received.length === 0) await new Promise((resolve) => void setImmediate(resolve));
    clock.advance(3_000);
    expect(await outcome).toMatchObject({ acknowledged: false, reason: 'timeout' });
    expect(core.messages()).toHaveLength(0);
  });

  test('is refused as the Discord client would refuse it', async () => {
    const { simulator } = await start(() => DEFER);
    await expect(simulator.slash('ada', GENERAL, 'ask', {})).rejects.toThrow('question is required');
    await expect(simulator.slash('ada', GENERAL, 'nope')).rejects.toThrow('There is no command nope');
    await expect(simulator.slash('ada', GENERAL, 'settings model', { name: 'b' })).rejects.toThrow(
      'name is one of',
    );
    await expect(simulator.slash('lin', LOUNGE, 'ask', { question: 'x' })).rejects.toThrow(
      'lin is not in lounge',
    );
    await expect(simulator.slash('ada', LOUNGE, 'settings model')).rejects.toThrow('not offered here');
  });

  test.each<[string, object | number, object]>([
    ['another status', 500, { reason: 'http_error', detail: 500 }],
    ['an unknown type', { type: 3 }, { reason: 'invalid_answer' }],
    [
      'a modal without a title',
      { type: 9, data: { custom_id: 'x', components: [] } },
      { reason: 'invalid_answer' },
    ],
    ['invalid flags with a deferral', { type: 5, data: { flags: 32_768 } }, { reason: 'invalid_answer' }],
    ['2,001 characters', { type: 4, data: { content: 'x'.repeat(2_001) } }, { reason: 'invalid_answer' }],
  ])('fails with the response %s', async (_what, reply, outcome) => {
    const { simulator } = await start(() => reply);
    const result = await simulator.slash('ada', GENERAL, 'ask', { question: 'x' });
    expect(result).toMatchObject({ acknowledged: false, ...outcome });
  });
});

describe('an interaction token', () => {
  test('works from the first response for fifteen minutes', async () => {
    let early: Promise<unknown> = Promise.resolve();
    const { simulator, clock, call } = await start(async () => {
      early = call('PATCH', ORIGINAL, { content: 'too early' });
      await early;
      return DEFER;
    });
    await simulator.slash('ada', GENERAL, 'ask', { question: 'x' });
    expect(await early).toMatchObject({ status: 404, code: 10015 });
    clock.advance(15 * 60_000);
    expect(await call('PATCH', ORIGINAL, { content: 'in time' })).toMatchObject({ status: 200 });
    clock.advance(1);
    expect(await call('PATCH', ORIGINAL, { content: 'late' })).toMatchObject({ status: 401, code: 50027 });
  });

  test('is all that the bot has in a chat between people, who have installed it for themselves', async () => {
    const group = { id: '301000000000000091', type: 3, name: '', recipients: [ADA, GRACE] };
    const channels = [...DEFAULT_IDENTITY.channels, group];
    const { simulator, app, call, core, rest } = await start(() => DEFER, { identity: { channels } });
    await simulator.slash('ada', group.id, 'ask', { question: 'x' });
    expect(app.received[0]?.payload).toMatchObject({
      context: 2,
      channel: { type: 3, recipients: [{ id: ADA }, { id: GRACE }] },
      user: { id: ADA },
      authorizing_integration_owners: { '1': ADA },
    });
    expect(app.received[0]?.payload).not.toHaveProperty('guild_id');
    expect(await call('PATCH', ORIGINAL, { content: 'because' })).toMatchObject({ status: 200 });
    expect(core.messages(group.id)).toMatchObject([{ content: 'because' }]);
    for (const refused of [
      rest.get(Routes.channel(group.id)),
      rest.get(Routes.channelMessages(group.id)),
      rest.post(Routes.channelMessages(group.id), { body: { content: 'hi' } }),
    ])
      await expect(refused).rejects.toMatchObject({ code: 50001 });
    await expect(simulator.slash('lin', group.id, 'ask', { question: 'x' })).rejects.toThrow('lin is not in');
  });

  test('of a user-installed app allows five follow-ups', async () => {
    const { simulator, app, call } = await start(() => DEFER);
    await simulator.slash('ada', LOUNGE, 'ask', { question: 'x' });
    expect(app.received[0]?.payload).toMatchObject({
      guild_id: ELSEWHERE,
      authorizing_integration_owners: { '1': simulator.core.userNamed('ada').id },
    });
    await call('PATCH', ORIGINAL, { content: 'one' });
    for (let count = 0; count < 5; count += 1)
      expect(await call('POST', '', { content: 'more' })).toMatchObject({ status: 200 });
    expect(await call('POST', '', { content: 'more' })).toMatchObject({ status: 400, code: 40094 });
  });

  test('accepts one response, inline or by the callback route', async () => {
    const { simulator, last, core } = await start(async () => {
      const url = `${simulator.apiUrl}/interactions/${last()?.id}/${last()?.token}/callback?with_response=true`;
      const body = JSON.stringify({ type: 4, data: { content: 'by callback' } });
      const response = await fetch(url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect(await response.json()).toMatchObject({
        resource: { type: 4, message: { content: 'by callback' } },
      });
      return { type: 4, data: { content: 'inline' } };
    });
    const outcome = await simulator.slash('ada', GENERAL, 'ask', { question: 'x' });
    expect(outcome).toMatchObject({ reason: 'invalid_answer', detail: { code: 40060 } });
    expect(core.messages()).toMatchObject([{ content: 'by callback' }]);
  });
});

test('the endpoint check sends a PING and nine kinds of invalid signatures', async () => {
  const { simulator } = await start(() => DEFER);
  expect(await simulator.delivery.inspect()).toEqual([]);
  simulator.setDeliverTo('http://127.0.0.1:1/');
  expect(await simulator.delivery.inspect()).toHaveLength(20);
});

test('an app is told who installs and removes it, again while it does not respond', async () => {
  let status = 500;
  const { simulator, app, clock } = await start(() => status);
  expect(await simulator.deauthorize('ada')).toBe(false);
  status = 204;
  clock.advance(5_000);
  await simulator.delivery.idle();
  expect(app.received).toHaveLength(2);
  expect(app.received[1]).toMatchObject({
    path: '/discord/events',
    payload: { type: 1, event: { type: 'APPLICATION_DEAUTHORIZED', data: { user: { username: 'ada' } } } },
  });
  expect(await simulator.authorize('grace', ELSEWHERE)).toBe(true);
});

test('an interaction that another tool signs and posts is recorded with its response', async () => {
  const { simulator, core } = await start(() => DEFER);
  const body = JSON.stringify({
    id: '786008729715212338',
    token: 'A_UNIQUE_TOKEN',
    type: 2,
    channel_id: '645027906669510667',
    guild_id: '290926798626357999',
    member: { user: { id: '53908232506183680', username: 'Mason' } },
    data: { type: 1, name: 'ask', id: '1' },
  });
  const headers = signed(simulator.keys, 0, body);
  const answered = simulator.observe((name) => headers[name], Buffer.from(body));
  await answered?.('application/json', Buffer.from(JSON.stringify(DEFER)));
  const original = `${simulator.apiUrl}/webhooks/${simulator.applicationId}/A_UNIQUE_TOKEN/messages/@original`;
  expect(await (await fetch(original)).json()).toMatchObject({
    flags: 128,
    channel_id: '645027906669510667',
  });
  expect(core.messages('645027906669510667')).toHaveLength(1);
  expect(simulator.observe((name) => headers[name], Buffer.from(`${body} `))).toBeUndefined();
  expect(simulator.observe((name) => headers[name], Buffer.from(body))).toBeUndefined();
});

test('commands are registered, updated by name, validated, and the entry point stays', async () => {
  const { rest, simulator } = await setUp({ identity: { entryPoint: true } });
  const route = Routes.applicationCommands(simulator.applicationId);
  const listShape = v.array(v.object({ id: v.string(), name: v.string(), type: v.number() }));
  const put = async (body: unknown) => v.parse(listShape, await rest.put(route, { body }));
  await expect(put(COMMANDS)).rejects.toMatchObject({ code: 50240 });
  const [entry] = v.parse(listShape, await rest.get(route));
  const all = [...COMMANDS, { name: entry?.name, type: 4, handler: 2 }];
  const first = await put(all);
  const second = await put(all);
  expect(second).toEqual(first);
  expect(second.find(({ type }) => type === 4)?.id).toBe(entry?.id);
  const wrong = (command: object) => put([...all, command]);
  await expect(wrong({ name: 'Ask', description: 'x' })).rejects.toMatchObject({ code: 50035 });
  await expect(wrong({ name: 'nothing' })).rejects.toMatchObject({ code: 50035 });
  const options = [
    { type: 3, name: 'a', description: 'x' },
    { type: 3, name: 'b', description: 'x', required: true },
  ];
  await expect(wrong({ name: 'late', description: 'x', options })).rejects.toMatchObject({ code: 50035 });
  await expect(wrong({ name: 'ask', description: 'x' })).rejects.toMatchObject({ code: 50035 });
});
