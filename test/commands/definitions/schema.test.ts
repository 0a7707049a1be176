import { type ChatOptions } from '../../../shared/ports/index.ts';
import { streamsOnly } from '../../fakes/streams-only.ts';
import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { jsonObject } from '../../simulators/json-schema.ts';
import { channelId, type Interaction, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import {
  findSchemaProblem,
  toField,
  listProperties,
  parseValue,
} from '../../../shared/commands/forms/form-schema.ts';
import { CannotPostError, ThreadDeletedError } from '../../../shared/platforms/ports/index.ts';
import { renderModal } from '../../../shared/platforms/discord/blocks/modal.ts';
import { renderCard } from '../../../shared/platforms/slack/blocks/card-blocks.ts';
import { renderModalView } from '../../../shared/platforms/slack/blocks/modal-view.ts';
import { FrontStore } from '../../../shared/storage/interactions/front-store.ts';
import { validateJson } from '../../../shared/upstream/index.ts';
import { LOCALES } from '../../../shared/i18n/index.ts';
import { checkBlocks } from '../../simulators/slack/blocks.ts';
import { endEvent } from '../../chat/completion-harness.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../command-harness.ts';

const TICKET_SCHEMA = {
  type: 'object',
  properties: {
    title: { type: 'string', title: 'Title', maxLength: 20 },
    urgent: { type: 'boolean' },
    hours: { type: 'number', minimum: 0 },
    area: { enum: ['api', 'docs'] },
    tags: { type: 'array', items: { type: 'string' } },
    more: { type: 'string' },
  },
  required: ['title', 'area'],
};
const GOOD = { title: 'Slow', urgent: true, hours: 2, area: 'api', tags: ['a', 'b'] };
const ADA = { user: userId('U1'), workspace: workspaceId('T1'), roles: [], admin: false, locale: 'en' };
const THREAD = {
  platform: 'slack' as const,
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.1'),
};
const EVE = { ...ADA, user: userId('U2') };

/** A workspace with the form `ticket`; the model says these texts, one after the other. */
async function harness(...says: string[]) {
  const requests: ChatOptions[] = [];
  const at = commandHarness({
    chat: {
      ...streamsOnly,
      async *stream(_, options) {
        requests.push(options);
        yield endEvent(says.shift() ?? '{}');
      },
    },
  });
  let calls = 0;
  const send = async (call: Interaction['payload'], by = ADA, more: Partial<Interaction> = {}) => {
    calls += 1;
    const id = more.id ?? `call-${calls}`;
    await at.call(fakeInteraction(call, { by, ...more, id }));
    return JSON.stringify(at.stage.answers.at(-1)?.card);
  };
  const type = (text: string, by = ADA, more = {}) => send(typedCommand(text), by, more);
  const press = (name: string, args: string[], by = ADA, more = {}) =>
    send({ kind: 'action', action: { name, args }, chosen: [] }, by, more);
  const fill = (args: string[], values: Record<string, string>, by = ADA) =>
    send({ kind: 'form', action: { name: 'schema.edit', args }, values }, by);
  await type(`schema save ticket ${JSON.stringify(TICKET_SCHEMA)}`);
  return { ...at, type, press, fill, send, requests };
}

describe('schema', () => {
  test('is saved, shown, listed and removed by its author', async () => {
    const { type } = await harness();
    expect(await type('schema')).toContain('`ticket`');
    expect(await type('schema show ticket')).toMatch(/maxLength.*\/parley ask schema:ticket/u);
    expect(await type('schema remove ticket', EVE)).toContain('Only <@U1>');
    expect(await type('schema save ticket {"type":"object","properties":{"a":{}}}', EVE)).toContain('<@U1>');
    expect(await type('schema remove ticket')).toContain('is removed');
    expect(await type('schema show ticket')).toContain('no form');
    expect(await type('ask schema:ticket What?')).toContain('no form');
  });

  test('is not visible in another workspace', async () => {
    const { type } = await harness();
    expect(await type('schema', ADA, { workspace: workspaceId('T2') })).toContain('No form is saved');
  });

  test.each([
    ['no JSON', '{', 'not-json'],
    ['a list', '[]', 'not-json'],
    ['no object', '{"type":"string"}', 'not-a-form'],
    ['no properties', '{"type":"object","properties":{}}', 'not-a-form'],
    [
      'a pattern somewhere',
      '{"type":"object","properties":{"a":{"items":{"pattern":"(a+)+$"}}}}',
      'no-patterns',
    ],
    [
      'a pattern behind a name that looks like a list of names',
      '{"type":"object","properties":{"a":{"$ref":"#/$defs/properties"}},"$defs":{"properties":{"pattern":"(a+)+$"}}}',
      'no-patterns',
    ],
    [
      'a reference to itself',
      '{"type":"object","properties":{"a":{}},"allOf":[{"$ref":"#"}]}',
      'no-patterns',
    ],
    [
      // Each of them names the next one twice: checked, it would take 2 to the power of forty steps.
      'a tower of references',
      JSON.stringify({
        type: 'object',
        properties: { a: { allOf: [{ $ref: '#/$defs/0' }] } },
        $defs: Array.from({ length: 40 }, (_, i) => ({
          allOf: [{ $ref: `#/$defs/${i + 1}` }, { $ref: `#/$defs/${i + 1}` }],
        })),
      }),
      'no-patterns',
    ],
    ['a part of no known kind', '{"type":"object","properties":{"a":{}},"allOf":5}', 'no-schema'],
  ])('%s is refused', (_, text, why) => {
    expect(findSchemaProblem(text, validateJson)?.why).toBe(why);
  });

  test('accepts a property named pattern', () => {
    expect(
      findSchemaProblem('{"type":"object","properties":{"pattern":{"type":"string"}}}', validateJson),
    ).toBeUndefined();
  });
});

describe('ask schema:', () => {
  test('shows the filled form ephemerally; Send shows it to everyone once, in the name of the asker', async () => {
    const { type, press, stage, requests } = await harness(JSON.stringify(GOOD));
    const card = await type('ask schema:ticket It is slow', ADA, { id: 'asked' });
    expect(card).toContain('{"name":"Title","value":"Slow"}');
    expect(card).toContain('{"name":"tags","value":"a, b"}');
    expect(requests[0]?.format).toEqual({ name: 'ticket', schema: TICKET_SCHEMA });
    expect(stage.answers.every(({ openly }) => !openly)).toBe(true);
    expect(stage.cards.size).toBe(0);
    expect(await press('schema.send', ['asked'])).toContain('Sent.');
    expect(stage.cards.get('sent-asked')).toMatchObject({ by: 'U1', title: 'ticket' });
    expect(JSON.stringify(stage.cards.get('sent-asked'))).not.toContain('schema.');
    expect(await press('schema.send', ['asked'])).toContain('was already sent');
  });

  test('an answer that does not match the schema is requested once more, with the errors', async () => {
    const { type, requests } = await harness('{"title":"Slow"}', JSON.stringify(GOOD));
    expect(await type('ask schema:ticket It is slow')).toContain('Slow');
    expect(requests).toHaveLength(2);
  });

  test('an answer that never matches is shown as it is and not stored', async () => {
    const { type, dynamo } = await harness('no', 'never');
    expect(await type('ask schema:ticket It is slow')).toMatch(/did not fill.*never/u);
    expect(dynamo.items('conversations').some(({ sk }) => sk?.S?.startsWith('DRAFT#'))).toBe(false);
  });

  test('an oversized answer is neither validated nor requested again', async () => {
    const { type, requests, dynamo } = await harness(JSON.stringify({ ...GOOD, more: 'x'.repeat(20_000) }));
    expect(await type('ask schema:ticket It is slow')).toContain('xxx');
    expect(requests).toHaveLength(1);
    expect(dynamo.items('conversations').some(({ sk }) => sk?.S?.startsWith('DRAFT#'))).toBe(false);
  });

  test('a redelivered interaction sends no second request', async () => {
    const { type, requests } = await harness(JSON.stringify(GOOD), JSON.stringify(GOOD));
    await type('ask schema:ticket It is slow', ADA, { id: 'asked' });
    await type('ask schema:ticket It is slow', ADA, { id: 'asked' });
    expect(requests).toHaveLength(1);
  });

  test('Edit opens five fields at a time and accepts values that match the schema', async () => {
    const { type, press, fill, stage } = await harness(JSON.stringify(GOOD));
    await type('ask schema:ticket It is slow', ADA, { id: 'asked' });
    await press('schema.edit-form', ['asked', '0']);
    const [first] = stage.forms;
    expect(first?.form.fields.map(({ id, value }) => [id, value])).toEqual([
      ['f0', 'Slow'],
      ['f1', 'true'],
      ['f2', '2'],
      ['f3', 'api'],
      ['f4', '["a","b"]'],
    ]);
    const values = { f0: 'Very slow', f1: 'false', f2: '1,5', f3: 'docs', f4: '' };
    const card = await fill(['asked', '0', '1'], values);
    expect(card).toMatch(/Very slow.*no.*1\.5.*docs/u);
    expect(card).not.toContain('a, b');
    await press('schema.edit-form', ['asked', '1']);
    expect(stage.forms[1]?.form.fields.map(({ id }) => id)).toEqual(['f5']);
    expect(await fill(['asked', '1', '2'], { f5: 'Since Monday' })).toMatch(/Very slow.*Since Monday/u);
    const wrong = await fill(['asked', '0', '3'], { ...values, f2: 'two' });
    expect(wrong).toMatch(/nothing was changed.*\/hours.*1\.5/u);
    expect(await fill(['asked', '0', '3'], { f0: '', f3: 'docs' })).toContain('nothing was changed');
  });

  test('a front opens the same modals for the asker until the form is sent', async () => {
    const { type, press, fill, stage, dynamo } = await harness(JSON.stringify(GOOD));
    let now = 0;
    const front = new FrontStore({
      send: async () => ({ Item: dynamo.items('conversations').find(({ sk }) => sk?.S === 'DRAFT#asked') }),
      table: 'conversations',
      days: 30,
      now: () => now,
    });
    const scope = { platform: 'slack', workspace: 'T1', user: 'U1' } as const;
    await type('ask schema:ticket It is slow', ADA, { id: 'asked' });
    await fill(['asked', '0', '1'], { f0: 'Very slow', f1: 'false', f2: '1', f3: 'docs', f4: '' });
    for (const page of [0, 1]) {
      await press('schema.edit-form', ['asked', String(page)]);
      expect(await front.findDraftModal(scope, 'asked', page)).toEqual(stage.forms[page]?.form);
    }
    expect(await front.findDraftModal(scope, 'asked', 2)).toBeUndefined();
    expect(await front.findDraftModal({ ...scope, user: 'U2' }, 'asked', 0)).toBeUndefined();
    now = Infinity;
    expect(await front.findDraftModal(scope, 'asked', 0)).toBeUndefined();
    now = 0;
    await press('schema.send', ['asked']);
    expect(await front.findDraftModal(scope, 'asked', 0)).toBeUndefined();
  });

  test('a modal from before another change changes nothing', async () => {
    const { type, fill } = await harness(JSON.stringify(GOOD));
    await type('ask schema:ticket It is slow', ADA, { id: 'asked' });
    await fill(['asked', '0', '1'], { f0: 'First', f3: 'api' });
    expect(await fill(['asked', '0', '1'], { f0: 'Second', f3: 'api' })).toContain('First');
  });

  test('no other person can edit or send it', async () => {
    const { type, press, fill, stage } = await harness(JSON.stringify(GOOD));
    await type('ask schema:ticket It is slow', ADA, { id: 'asked' });
    expect(await press('schema.send', ['asked'], EVE)).toContain('no longer exists');
    expect(await press('schema.edit-form', ['asked', '0'], EVE)).toContain('no longer exists');
    expect(await fill(['asked', '0', '1'], { f0: 'Eve', f3: 'api' }, EVE)).toContain('no longer exists');
    expect(await press('schema.send', ['forged'])).toContain('no longer exists');
    const elsewhere = { workspace: workspaceId('T2') };
    expect(await press('schema.send', ['asked'], ADA, elsewhere)).toContain('no longer exists');
    expect([stage.cards.size, stage.forms.length]).toEqual([0, 0]);
  });

  test('where the bot may not post, Send responds publicly to the interaction', async () => {
    const { type, press, stage } = await harness(JSON.stringify(GOOD));
    await type('ask schema:ticket It is slow', ADA, { id: 'asked' });
    stage.refuse.startThread = new CannotPostError('not in the channel');
    await press('schema.send', ['asked']);
    expect(stage.answers.filter(({ openly }) => openly)).toMatchObject([{ card: { by: 'U1' } }]);
  });

  test('in a deleted thread, the person is told', async () => {
    const { type, press, stage } = await harness(JSON.stringify(GOOD));
    await type('ask schema:ticket It is slow', ADA, { id: 'asked', thread: THREAD });
    stage.refuse.postCard = new ThreadDeletedError('gone');
    expect(await press('schema.send', ['asked'], ADA, { thread: THREAD })).toContain('I cannot write');
  });

  test('in a thread, it is sent there, and expires after a week', async () => {
    const { type, press, stage, time } = await harness(JSON.stringify(GOOD), JSON.stringify(GOOD));
    await type('ask schema:ticket It is slow', ADA, { id: 'asked', thread: THREAD });
    await press('schema.send', ['asked'], ADA, { thread: THREAD });
    expect([...stage.cards.keys()]).toEqual(['sent-asked']);
    await type('ask schema:ticket It is slow', ADA, { id: 'later' });
    time.advance(8 * 86_400_000);
    expect(await press('schema.send', ['later'])).toContain('no longer exists');
  });
});

test.each(LOCALES)('in %s the longest forms are within the limits of both platforms', async (locale) => {
  const properties = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [`${'値'.repeat(58)}${n}`, { description: '値'.repeat(60) }]),
  );
  const schema = { type: 'object', properties, required: [] };
  expect(findSchemaProblem(JSON.stringify(schema), validateJson)).toBeUndefined();
  const value = Object.fromEntries(Object.keys(properties).map((name) => [name, '値'.repeat(400)]));
  const { type, press, stage } = await harness(JSON.stringify(value));
  const by = { ...ADA, locale };
  await type(`schema save ${'値'.repeat(8)} ${JSON.stringify(schema)}`, by);
  await type(`ask schema:${'値'.repeat(8)} What?`, by, { id: 'c'.repeat(20) });
  for (const page of ['0', '1', '2', '3']) await press('schema.edit-form', ['c'.repeat(20), page], by);
  expect(stage.forms).toHaveLength(4);
  for (const { form, interaction } of stage.forms) {
    expect(v.parse(v.array(v.unknown()), renderModal(form)['components'])).toHaveLength(5);
    checkBlocks(v.parse(v.array(jsonObject), renderModalView(form, interaction)['blocks']), 'modal');
  }
  for (const { card } of stage.answers) checkBlocks(v.parse(v.array(jsonObject), renderCard(card).blocks));
});

test('a field returns its value unchanged', () => {
  const yesNo = { yes: 'yes', no: 'no', most: 3_000 };
  for (const property of listProperties({ ...TICKET_SCHEMA })) {
    const value: unknown = Reflect.get({ ...GOOD, more: '12' }, property.name);
    const { value: text } = toField(property, 'f', value, yesNo);
    expect(parseValue(property, value, text)).toEqual(value);
  }
});
