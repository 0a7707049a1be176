import { expect, test } from '@jest/globals';
import { type ChatEvent, type Interaction, userId, workspaceId } from '../../../shared/domain/index.ts';
import { parseButtonAction } from '../../../shared/platforms/slack/inbound/block-actions.ts';
import { parseControl, parseSubmission } from '../../../shared/platforms/slack/inbound/interactions.ts';
import { createSlackMessenger } from '../../../shared/platforms/slack/index.ts';
import { memoryPostedMessages } from '../../fakes/posted-messages.ts';
import { createDirectClient } from '../../simulators/slack/direct-client.ts';
import { parseEvent } from '../../../shared/platforms/slack/inbound/parse-event.ts';
import { serializeButton } from '../../../shared/platforms/slack/blocks/answer-blocks.ts';
import { ADA, GRACE, setUp } from '../../simulators/slack/harness.ts';
import { fakeTime } from './fake-slack.ts';
import type { WorkspaceOptions } from '../../simulators/slack/workspace.ts';

/** Each event has a search token of its own, and a mention does not say whether there are files. */
function withoutToken(event: ChatEvent | undefined): ChatEvent | undefined {
  if (event?.kind !== 'message' && event?.kind !== 'message-edited') return event;
  return { ...event, message: { ...event.message, searchToken: undefined, mayHaveFiles: undefined } };
}

/** A simulated workspace, and the parsed events since the last call. */
function scene(options: WorkspaceOptions = {}) {
  const { workspace, call, events, channel } = setUp(options);
  const parseEvents = (): ChatEvent[] =>
    events.splice(0).flatMap((envelope) => {
      const parsed = parseEvent(envelope, {});
      expect(parsed.kind).not.toBe('unreadable');
      return parsed.kind === 'chatEvent' ? [parsed.chatEvent] : [];
    });
  return { workspace, call, channel, parseEvents };
}

/** A message of a bot: all events of it and of its changes are ignored. */
function speak({ call, workspace, channel, parseEvents }: ReturnType<typeof scene>, thread: string): string {
  const { ts } = call('chat.postMessage', { channel, thread_ts: thread, text: 'an answer' });
  if (typeof ts !== 'string') throw new Error('not posted');
  call('chat.update', { channel, ts, text: 'another answer' });
  expect(parseEvents()).toEqual([]);
  expect(workspace.state.messages.get(channel)?.has(ts)).toBe(true);
  return ts;
}

test('a click in App Home, and a modal from there, belong to the workspace whose page it is, though another of its organization installed the app first', async () => {
  const enterprise = { id: 'E0ORG', name: 'Org', orgInstall: false, firstInstall: 'T0FIRST000' };
  const { workspace } = scene({ identity: { enterprise } });
  const call = createDirectClient(workspace);
  const messenger = createSlackMessenger({
    call,
    origins: [],
    posts: memoryPostedMessages(),
    time: fakeTime(),
    respondToUrl: async () => Promise.reject(new Error('App Home has no URL')),
  });
  const own = workspaceId(workspace.identity.teamId);
  const action = { name: 'persona.edit', args: [] };
  const home: Interaction = {
    id: 'call-1',
    platform: 'slack',
    workspace: own,
    by: { user: userId(ADA), workspace: own, roles: [] },
    responseToken: 'home',
    tokenExpiresAtMs: 0,
    payload: { kind: 'home' },
  };
  await messenger.respond(home, {
    parts: [{ kind: 'controls', controls: [{ kind: 'button', label: 'Edit', action }] }],
  });
  const clicked = workspace.pressHome(ADA, 'Edit');
  expect(clicked).toMatchObject({ view: { app_installed_team_id: 'T0FIRST000' } });
  const parsed = parseControl(clicked, 0);
  expect(parsed?.interaction).toMatchObject({ workspace: own, responseToken: 'home', payload: { action } });
  const { trigger = '', interaction = home } = parsed ?? {};
  await messenger.openModal(
    { ...interaction, triggerId: trigger },
    { title: 'T', submit: 'Save', action, fields: [] },
  );
  const submitted = workspace.submission(ADA, {});
  expect(submitted).toMatchObject({ view: { app_installed_team_id: 'T0FIRST000' } });
  expect(parseSubmission(submitted, 0)?.interaction).toMatchObject({ workspace: own });
});

test('the parser reads a question, its answer, an edit and a deletion of the simulated Slack', () => {
  const it = scene();
  const { workspace, channel, parseEvents } = it;
  const root = workspace.say(ADA, '@parley why?');
  const [first, second] = parseEvents();
  expect(first).toMatchObject({ kind: 'message', message: { id: root, text: 'why?', addressed: 'mention' } });
  expect(withoutToken(second)).toEqual(withoutToken(first));
  const answer = speak(it, root);

  workspace.edit(ADA, channel, root, '@parley why not?');
  const [edit, mention, ...none] = parseEvents();
  expect(edit).toMatchObject({
    kind: 'message-edited',
    message: { id: root, text: 'why not?', addressed: 'mention' },
  });
  // The mention is sent again.
  expect(withoutToken(mention)).toEqual(withoutToken(edit));
  expect(none).toEqual([]);
  workspace.edit(ADA, channel, root, '@parley why, then?');
  const [again] = parseEvents();
  expect(again).toMatchObject({ kind: 'message-edited' });
  expect(again).not.toMatchObject({ at: edit?.kind === 'message-edited' ? edit.at : '' });

  const reply = workspace.say(GRACE, 'and then?', { thread: root });
  expect(parseEvents()).toMatchObject([{ kind: 'message', message: { id: reply, addressed: 'if-member' } }]);
  workspace.remove(GRACE, channel, reply);
  expect(parseEvents()).toMatchObject([{ kind: 'message-deleted', message: reply, thread: { root } }]);

  // Replies remain, so that the root becomes a tombstone.
  workspace.remove(ADA, channel, root);
  expect(parseEvents()).toMatchObject([{ kind: 'message-deleted', message: root, thread: { root } }]);
  it.call('chat.delete', { channel, ts: answer });
  expect(parseEvents().filter((one) => one.kind !== 'message-deleted' || one.message !== root)).toEqual([]);
});

test('messages without a mention, and their edits, may be for the bot where the channel allows it', () => {
  const { workspace, channel, parseEvents } = scene();
  const root = workspace.say(ADA, 'lunch?');
  expect(parseEvents()).toMatchObject([{ kind: 'message', message: { addressed: 'none' } }]);
  workspace.edit(ADA, channel, root, 'lunch at one?');
  expect(parseEvents()).toMatchObject([{ kind: 'message-edited', message: { addressed: 'none' } }]);
  workspace.edit(ADA, channel, root, '@parley lunch at one?');
  const mentioned = { kind: 'message-edited', message: { addressed: 'mention' } };
  expect(parseEvents()).toMatchObject([mentioned, mentioned]);
});

test('the parser reads files with and without text', () => {
  const { workspace, parseEvents } = scene();
  const file = { name: 'notes.txt', mimetype: 'text/plain', content: Buffer.from('twelve bytes') };
  workspace.say(ADA, '', { channel: 'dm', files: [file] });
  expect(parseEvents()).toMatchObject([
    {
      kind: 'message',
      message: {
        text: '',
        addressed: 'direct',
        attachments: [{ name: 'notes.txt', mimetype: 'text/plain', bytes: 12 }],
      },
    },
  ]);
});

test.each<[string, WorkspaceOptions, string]>([
  ['a workspace', {}, 'T0PARLEY00'],
  ['a workspace of an enterprise', { identity: { enterprise: org(false) } }, 'T0PARLEY00'],
  ['a whole enterprise', { identity: { enterprise: org(true) } }, 'E0PARLEY00'],
])('clicks and events of %s name the same thread', (_, options, name) => {
  const { workspace, call, channel, parseEvents } = scene(options);
  const root = workspace.say(ADA, '@parley why?');
  const [parsed] = parseEvents();
  if (parsed?.kind !== 'message') throw new Error('nothing asked');
  const { thread, id: message, author: asker, authorWorkspace: askerWorkspace } = parsed.message;
  expect(thread.workspace).toBe(name);
  const press = serializeButton(
    { thread, message, asker, askerWorkspace },
    { kind: 'regenerate', model: 'm2' },
  );
  const button = { type: 'button', text: { type: 'plain_text', text: 'Ask m2' }, ...press };
  const blocks = [{ type: 'actions', elements: [button] }];
  const { ts } = call('chat.postMessage', { channel, thread_ts: root, text: 'an answer', blocks });
  expect(parseButtonAction({ ...workspace.press(GRACE, String(ts), 'Ask m2') })).toMatchObject({
    chatEvent: {
      kind: 'button-clicked',
      thread,
      message,
      by: GRACE,
      action: { kind: 'regenerate', model: 'm2' },
    },
  });
});

test("the parser reads Slack's own Stop of the simulated Slack", () => {
  const { workspace, call, channel, parseEvents } = scene();
  const root = workspace.say(ADA, '@parley why?');
  parseEvents();
  const to = { recipient_team_id: workspace.identity.teamId, recipient_user_id: ADA };
  call('chat.startStream', { channel, thread_ts: root, markdown_text: 'Because', ...to });
  workspace.stop(ADA, channel, root);
  expect(parseEvents()).toMatchObject([{ kind: 'thread-stop-clicked', thread: { root }, by: ADA }]);
});

function org(orgInstall: boolean) {
  return { id: 'E0PARLEY00', name: 'Parley Org', orgInstall };
}

test('a forwarded message and a pasted table are part of the question, whose edit has both too', () => {
  const { workspace, channel, parseEvents } = scene();
  const root = workspace.say(GRACE, 'The <build> is red since *noon*', { channel: 'lab' });
  parseEvents();
  workspace.say(ADA, '', { channel: 'dm', forward: root });
  const quote = '> Grace Hopper:\n> The <build> is red since *noon*';
  expect(parseEvents()).toMatchObject([{ kind: 'message', message: { text: quote, addressed: 'direct' } }]);

  const table = [
    ['Item', 'Price'],
    ['Tea', '2'],
  ];
  const question = workspace.say(ADA, '@parley sum?', { table });
  expect(parseEvents()[0]).toMatchObject({ message: { text: 'sum?\n\nItem | Price\nTea | 2' } });
  workspace.edit(ADA, channel, question, '@parley the sum?');
  const edited = { kind: 'message-edited', message: { text: 'the sum?\n\nItem | Price\nTea | 2' } };
  expect(parseEvents()).toMatchObject([edited, edited]);
});
