import { afterEach, describe, expect, test } from '@jest/globals';
import { Routes } from 'discord.js';
import * as v from 'valibot';
import { start, stopAll } from './app-harness.ts';
import { GENERAL } from './identity.ts';
import { componentFaults } from './check/components.ts';
import { modalFaults } from './check/modal.ts';
import type { Json } from './json.ts';

afterEach(stopAll);

describe('messages of the app', () => {
  const BUTTONS = [
    {
      type: 1,
      components: [
        { type: 2, style: 1, label: 'Go', custom_id: 'go' },
        { type: 2, style: 1, label: 'Off', custom_id: 'off', disabled: true },
      ],
    },
    { type: 1, components: [{ type: 3, custom_id: 'pick', options: [{ label: 'A', value: 'a' }] }] },
  ];

  test('have buttons and menus, which update them', async () => {
    const { simulator, rest, app, core } = await start(({ data }) => {
      const pressed = v.parse(v.object({ custom_id: v.string() }), data).custom_id;
      return pressed === 'go' ? { type: 7, data: { content: 'gone', components: [] } } : { type: 6 };
    });
    const posted: unknown = await rest.post(Routes.channelMessages(GENERAL), {
      body: { content: 'press', components: BUTTONS },
    });
    const { id } = v.parse(v.object({ id: v.string() }), posted);
    expect(await simulator.press('ada', id, 'pick', ['a'])).toMatchObject({ acknowledged: true });
    expect(app.received[0]?.payload).toMatchObject({
      type: 3,
      data: { custom_id: 'pick', component_type: 3, values: ['a'] },
      message: { id, content: 'press' },
    });
    await expect(simulator.press('ada', id, 'pick', ['b'])).rejects.toThrow('No such choice');
    await expect(simulator.press('ada', id, 'off')).rejects.toThrow('switched off');
    await simulator.press('grace', id, 'go');
    expect(core.messages()).toMatchObject([{ content: 'gone', components: [] }]);
  });

  test('have message commands, whose payload contains the message', async () => {
    const { simulator, app } = await start(() => ({ type: 4, data: { content: 'seen', flags: 64 } }), {
      identity: { messageContent: false },
    });
    const voice = {
      name: 'v.ogg',
      content: Buffer.from('x'),
      contentType: 'audio/ogg',
      durationSecs: 1,
      waveform: 'AA',
    };
    const id = simulator.core.say('grace', '', { voice: true, files: [voice] });
    await simulator.menu('ada', id, 'Ask about this');
    expect(app.received[0]?.payload).toMatchObject({
      data: {
        type: 3,
        target_id: id,
        resolved: { messages: { [id]: { flags: 8192, attachments: [{ waveform: 'AA' }] } } },
      },
    });
  });

  test('and commands open modals, which are submitted with their values', async () => {
    const form = {
      type: 9,
      data: {
        custom_id: 'form',
        title: 'Tell us',
        components: [
          { type: 18, label: 'Words', component: { type: 4, custom_id: 'words', style: 1 } },
          { type: 18, label: 'Files', component: { type: 19, custom_id: 'files', required: false } },
        ],
      },
    };
    const { simulator, app, core } = await start(({ type }) =>
      type === 5 ? { type: 4, data: { content: 'thanks' } } : form,
    );
    const outcome = await simulator.slash('ada', GENERAL, 'ask', { question: 'x' });
    const files = [{ name: 'a.txt', content: Buffer.from('x') }];
    await expect(simulator.submit('grace', outcome.id, {})).rejects.toThrow('has no form');
    await expect(simulator.submit('ada', outcome.id, { files })).rejects.toThrow('words has to be filled in');
    expect(await simulator.submit('ada', outcome.id, { words: 'hello', files })).toMatchObject({
      acknowledged: true,
    });
    expect(app.received[1]?.payload).toMatchObject({
      type: 5,
      data: {
        custom_id: 'form',
        components: [{ component: { custom_id: 'words', value: 'hello' } }, { component: { type: 19 } }],
      },
    });
    expect(core.messages()).toMatchObject([{ content: 'thanks' }]);
  });
});

const row = (...components: Json[]) => [{ type: 1, components }];
const container = (...components: Json[]) => ({ type: 17, components });
const codes = (components: readonly Json[], v2 = false): string[] =>
  componentFaults(components, v2).map(({ code }) => code);

describe('Discord refuses', () => {
  const link = { type: 2, style: 5, label: 'Open' };
  const options = [{ label: 'A', value: 'a' }];

  test.each([
    [row({ ...link, url: 'ftp://example.com/a' }), 'URL_TYPE_INVALID_SCHEME'],
    [row({ ...link, url: 'example.com' }), 'URL_TYPE_INVALID_URL'],
    [
      row({ ...link, url: 'https://example.com', custom_id: 'x' }),
      'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
    ],
    [row({ type: 3, custom_id: 'pick', max_values: 2, options }), 'BASE_TYPE_BAD_LENGTH'],
  ])('%j', (components, code) => {
    expect(codes(components)).toEqual([code]);
  });

  test('a container in a container, two components with one id, and media of another scheme', () => {
    const text = { type: 10, content: 'hi' };
    expect(codes([container(container(text))], true)).toEqual(['UNION_TYPE_CHOICES']);
    expect(
      codes(
        [
          { ...text, id: 7 },
          { ...text, id: 7 },
        ],
        true,
      ),
    ).toEqual(['COMPONENT_ID_DUPLICATED']);
    const gallery = { type: 12, items: [{ media: { url: 'data:image/png;base64,AA' } }] };
    expect(codes([gallery], true)).toEqual(['URL_TYPE_INVALID_SCHEME']);
    const long = { type: 12, items: [{ media: { url: `https://a.example/${'b'.repeat(2_048)}` } }] };
    expect(codes([long], true)).toEqual(['BASE_TYPE_BAD_LENGTH']);
  });

  test('two fields of a modal with one custom_id', () => {
    const field = { type: 18, label: 'Text', component: { type: 4, style: 1, custom_id: 'text' } };
    const modal = { title: 'Ask', custom_id: 'ask', components: [field, field] };
    expect(modalFaults(modal).map(({ code }) => code)).toEqual(['COMPONENT_CUSTOM_ID_DUPLICATED']);
  });

  test('a component that shows a file which the message does not have', async () => {
    const { rest } = await start(() => ({ type: 6 }));
    const body = { flags: 1 << 15, components: [{ type: 13, file: { url: 'attachment://notes.txt' } }] };
    const files = [{ name: 'other.txt', data: Buffer.from('x') }];
    await expect(rest.post(Routes.channelMessages(GENERAL), { body, files })).rejects.toMatchObject({
      code: 50035,
      rawError: {
        errors: {
          components: { _errors: [{ code: 'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND' }] },
        },
      },
    });
  });

  test('an edit to components alone of a message that keeps its text', async () => {
    const { rest } = await start(() => ({ type: 6 }));
    const message = await rest.post(Routes.channelMessages(GENERAL), { body: { content: 'Text.' } });
    const { id } = v.parse(v.object({ id: v.string() }), message);
    const path = Routes.channelMessage(GENERAL, id);
    const body = { flags: 1 << 15, components: [{ type: 10, content: 'A card.' }] };
    await expect(rest.patch(path, { body })).rejects.toMatchObject({
      rawError: {
        errors: { content: { _errors: [{ code: 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2' }] } },
      },
    });
    expect(await rest.patch(path, { body: { ...body, content: null } })).toMatchObject({ content: '' });
  });

  test('a reaction to the first message of a post, in its forum', async () => {
    const { rest, core } = await start(() => ({ type: 6 }));
    const forum = [...core.state.channels.values()].find(({ name }) => name === 'questions')?.id ?? '';
    const post = core.thread('ada', forum, 'When do we meet?', 'And where?');
    const react = (channel: string) =>
      rest.put(Routes.channelMessageOwnReaction(channel, post, encodeURIComponent('👀')));
    await expect(react(forum)).rejects.toMatchObject({ code: 10_008 });
    await react(post);
    expect(core.message(post).reactions).toMatchObject([{ emoji: '👀' }]);
  });

  test('a reply to a system message, such as the first message of a thread on a message', async () => {
    const { rest, core } = await start(() => ({ type: 6 }));
    const root = core.say('ada', 'Monday?');
    core.thread('ada', root, 'Plans');
    const body = { content: 'Yes.', message_reference: { message_id: root } };
    await expect(rest.post(Routes.channelMessages(root), { body })).rejects.toMatchObject({
      rawError: {
        errors: { message_reference: { _errors: [{ code: 'REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE' }] } },
      },
    });
  });
});
