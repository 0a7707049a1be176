import { expect, test } from '@jest/globals';
import { type Interaction, userId, workspaceId } from '../../shared/domain/index.ts';
import { getAccountName } from '../../shared/billing/budgets/index.ts';
import { getAccountPartition } from '../../shared/billing/budget-service.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { spendingIn } from '../fakes/spending.ts';
import { TestTime } from '../upstream/time.ts';
import { endEvent } from '../chat/completion-harness.ts';
import { THREAD } from '../chat/thread-harness.ts';
import { commandHarness, fakeInteraction, typedCommand } from './command-harness.ts';

const ADA = { user: userId('U1'), workspace: workspaceId('T1'), roles: [], admin: false, locale: 'en' };
const EVE = { ...ADA, user: userId('U2') };
const schemaOf = (...fields: readonly string[]): string =>
  JSON.stringify({
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
    required: fields,
  });

test('a filled form keeps its schema, whoever saves another one under the same name', async () => {
  const chat = {
    ...streamsOnly,
    async *stream() {
      yield endEvent('{"title":"Slow"}');
    },
  };
  const { call, stage } = commandHarness({ chat });
  let count = 0;
  const send = async (payload: Interaction['payload'], by = ADA): Promise<string> => {
    await call(fakeInteraction(payload, { by, id: `call-${(count += 1)}` }));
    return JSON.stringify(stage.answers.at(-1)?.card);
  };
  await send(typedCommand(`schema save ticket ${schemaOf('title')}`));
  await send(typedCommand('ask schema:ticket It is slow'));
  const id = `call-${count}`;
  await send(typedCommand('schema remove ticket'));
  expect(await send(typedCommand(`schema save ticket ${schemaOf('password')}`), EVE)).toContain('password');

  await send({ kind: 'action', action: { name: 'schema.edit-form', args: [id, '0'] }, chosen: [] });
  expect(stage.forms).toHaveLength(1);
  expect(JSON.stringify(stage.forms)).not.toContain('password');
  const edit = { name: 'schema.edit', args: [id, '0', '1'] };
  expect(await send({ kind: 'form', action: edit, values: { f0: 'Very slow' } })).toContain('Very slow');
  await send({ kind: 'action', action: { name: 'schema.send', args: [id] }, chosen: [] });
  const sent = JSON.stringify([...stage.cards.values()]);
  expect(sent).toContain('Very slow');
  expect(sent).not.toContain('password');
});

test('a filled form has no button for a modal without any field: Discord refuses it, and no value there can be changed', async () => {
  const long = 'x'.repeat(3_001);
  const properties = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const values = Object.fromEntries(properties.map((name) => [name, name < 'f' ? long : name]));
  const chat = {
    ...streamsOnly,
    async *stream() {
      yield endEvent(JSON.stringify(values));
    },
  };
  const { call, stage } = commandHarness({ chat });
  const send = async (text: string): Promise<string> => {
    await call(fakeInteraction(typedCommand(text), { by: ADA, id: text }));
    return JSON.stringify(stage.answers.at(-1)?.card);
  };
  await send(`schema save seven ${schemaOf(...properties)}`);
  const card = await send('ask schema:seven Go');
  expect(card.match(/"schema\.edit-form","args":\["[^"]*","\d"/gu)?.map((one) => one.slice(-2, -1))).toEqual([
    '1',
  ]);
  expect(card).toContain('schema.send');
});

test.each([
  ['the person', { platform: 'slack' as const, workspace: ADA.workspace, user: ADA.user }],
  ['the thread', { thread: THREAD }],
])('a form that is filled while %s is erased is not stored', async (_, subject) => {
  let erasure: (() => Promise<void>) | undefined;
  const chat = {
    ...streamsOnly,
    async *stream() {
      await erasure?.();
      yield endEvent('{"title":"A canary"}');
    },
  };
  const { call, stage, context, dynamo, time } = commandHarness({ chat });
  const send = async (text: string, id: string): Promise<string> => {
    const more = { by: ADA, id, thread: THREAD, receivedAt: time.now() };
    time.advance(1_000);
    await call(fakeInteraction(typedCommand(text), more));
    return JSON.stringify(stage.answers.at(-1)?.card);
  };
  const stored = () =>
    dynamo.items('conversations').flatMap(({ sk }) => (sk?.S?.startsWith('DRAFT#') ? sk.S : []));
  await send(`schema save ticket ${schemaOf('title')}`, 'save');
  expect(await send('ask schema:ticket It is slow', 'first')).toContain('A canary');
  expect(stored()).toEqual(['DRAFT#first']);
  erasure = () => context.erasureMoments.record(subject, time.now());
  expect(await send('ask schema:ticket It is slow', 'second')).not.toContain('A canary');
  expect(stored()).toEqual(['DRAFT#first']);
});

test('both requests for a form are booked, if the first one was answered and could not be stored', async () => {
  const time = new TestTime();
  const budgets = spendingIn(time);
  let requests = 0;
  const chat = {
    ...streamsOnly,
    async *stream() {
      requests += 1;
      yield endEvent('{"title":"Slow"}');
    },
  };
  const { call, context, stage } = commandHarness({ chat, budgets }, time);
  const send = (text: string, isRedelivery = false) =>
    call(fakeInteraction(typedCommand(text), { by: ADA, id: text }), false, isRedelivery);
  await send(`schema save ticket ${schemaOf('title')}`);
  const { drafts } = context;
  const create = drafts.create.bind(drafts);
  drafts.create = () => Promise.reject(new Error('the table is unavailable'));
  await expect(send('ask schema:ticket Why?')).rejects.toThrow('unavailable');
  drafts.create = create;
  await send('ask schema:ticket Why?', true);
  expect(JSON.stringify(stage.answers.at(-1)?.card)).toContain('Slow');
  // A third delivery shows the stored form.
  await send('ask schema:ticket Why?', true);
  expect(requests).toBe(2);
  const account = getAccountName('person', { person: 'U1', channel: 'C1' }, 'day', time.now(), 'UTC');
  const place = { platform: 'slack', workspace: 'T1' };
  expect(await budgets.readCounters(getAccountPartition(place), account)).toMatchObject({ requests: 2 });
});
