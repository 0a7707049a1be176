import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as v from 'valibot';
import { FORM, front, signed } from '../functions/slack.ts';

const shared = process.env['PARLEY_SHARED'];
const folder = join(shared ?? '', 'samples', 'slack', 'bolt-python', 'tests');
const files = shared === undefined ? [] : readdirSync(folder, { recursive: true, encoding: 'utf8' });
const samples = files.filter((file) => file.endsWith('.json'));

const IGNORED = 'looks up its thread, in which the bot takes no part';
const GONE = 'looks up the thread of a root that was deleted, and finds none';
const FORGETS = 'forgets the workspace';
const NO_LISTENER = 'dropped: no-listener';
const NOT_OURS = 'dropped: not-ours';
const UNSUBSCRIBED = 'has no listener: no table is read, nothing is logged';

/**
 * What comes of each sample. An older one does not say who the bot is, so the mention stays in the question; the ids of
 * some are masked so that the author is the bot.
 */
const OUTCOMES: Readonly<Record<string, string>> = {
  'test_app.app_mention_event_body': 'asks: @W111 Hi there!',
  'test_authorize.block_actions_body': NO_LISTENER,
  'test_aws_lambda.test_commands.input': 'calls: command',
  'test_aws_lambda.test_events.input': 'asks: @W111 Hi there!',
  'test_aws_lambda.test_shortcuts.input': NO_LISTENER,
  'test_block_actions.body': NO_LISTENER,
  'test_error_handler.build_valid_request.body': NO_LISTENER,
  'test_events.message_file_share_body': 'dropped: own',
  'test_events.test_context_generation.body': UNSUBSCRIBED,
  'test_events.test_member_join_left_events.join_event_body': UNSUBSCRIBED,
  'test_events.test_member_join_left_events.left_event_body': UNSUBSCRIBED,
  'test_events.test_uninstallation_and_revokes.tokens_revoked_body': UNSUBSCRIBED,
  'test_events.valid_reaction_added_body': NOT_OURS,
  'test_events_assistant.channel_message_changed_event_body': 'dropped: unchanged',
  'test_events_assistant.channel_user_message_event_body': IGNORED,
  'test_events_assistant.message_changed_event_body': 'dropped: subtype',
  'test_events_assistant.thread_context_changed_event_body': UNSUBSCRIBED,
  'test_events_assistant.thread_started_event_body': UNSUBSCRIBED,
  'test_events_assistant.user_message_event_body': 'asks: When Slack was released?',
  'test_events_assistant.user_message_event_body_with_action_token': 'asks: When Slack was released?',
  'test_events_assistant.user_message_event_body_with_assistant_thread': 'asks: When Slack was released?',
  'test_events_ignore_self.different_app_response_url_message_event': 'dropped: bot',
  'test_events_ignore_self.event_body': NOT_OURS,
  'test_events_ignore_self.response_url_message_event': 'dropped: bot',
  'test_events_org_apps.test_app_home_opened.event_payload': NOT_OURS,
  'test_events_org_apps.test_message.event_payload': 'asks: ',
  'test_events_org_apps.test_team_access_revoked.event_payload': 'forgets T111,T222 of E111',
  'test_events_say_stream.org_app_mention_event_body': 'asks: Hi there!',
  'test_events_shared_channels.test_uninstallation_and_revokes.app_uninstalled_body': FORGETS,
  'test_events_shared_channels.test_uninstallation_and_revokes.tokens_revoked_body': UNSUBSCRIBED,
  'test_events_shared_channels.valid_event_body': 'asks: Hi there!',
  'test_message.message_body': IGNORED,
  'test_message.message_body2': IGNORED,
  'test_message.message_body3': IGNORED,
  'test_message_bot.bot_message_event_payload': 'dropped: own',
  'test_message_bot.classic_bot_message_event_payload': 'dropped: bot',
  'test_message_bot.user_message_event_payload': 'dropped: own',
  'test_message_changed.event_payload': IGNORED,
  'test_message_deleted.event_payload': GONE,
  'test_message_file_share.event_payload': IGNORED,
  'test_message_thread_broadcast.event_payload': IGNORED,
  'test_payload_utils.slash_command_body': 'calls: command',
  'test_request.test_org_wide_installations_block_actions.payload': NO_LISTENER,
  'test_request.test_org_wide_installations_view_submission.payload': NO_LISTENER,
  'test_shortcut.message_shortcut_body': 'calls: on-message',
  'test_view_submission.body': NO_LISTENER,
  'test_view_submission.connect_channel_payload': NO_LISTENER,
  'test_view_submission.response_url_payload_body': NO_LISTENER,
};

const wrapped = v.object({ __form_urlencoded: v.string() });
const line = v.object({ outcome: v.optional(v.string()), reason: v.optional(v.string()) });

const object = v.record(v.string(), v.unknown());
const read = (file: string) => v.parse(object, JSON.parse(readFileSync(join(folder, file), 'utf8')));

/** What an interaction says, in its form or as it stands. */
function payloadOf(content: Record<string, unknown>): Record<string, unknown> {
  const form = v.parse(v.fallback(v.optional(wrapped), undefined), content);
  const payload = form && new URLSearchParams(form.__form_urlencoded).get('payload');
  return payload ? v.parse(object, JSON.parse(payload)) : content;
}

async function post(file: string) {
  const content = read(file);
  const form = v.safeParse(wrapped, content);
  const { handle, effects, tasks } = front();
  const { statusCode } = await handle(
    form.success ? signed(form.output.__form_urlencoded, FORM) : signed(JSON.stringify(content)),
  );
  const [task] = tasks();
  const { outcome, reason } = v.parse(line, JSON.parse(effects.log[0] ?? '{}'));
  if (task?.kind === 'ask') return { statusCode, outcome: `asks: ${task.question}` };
  if (task?.kind === 'invoked') return { statusCode, outcome: `calls: ${task.interaction.payload.kind}` };
  if (task?.kind === 'erase' && task.scope.kind === 'teams')
    return { statusCode, outcome: `forgets ${task.scope.teams} of ${task.thread.workspace}` };
  if (task?.kind === 'erase') return { statusCode, outcome: FORGETS };
  if (reason) return { statusCode, outcome: `dropped: ${reason}` };
  if (effects.io === 0 && effects.log.length === 0) return { statusCode, outcome: UNSUBSCRIBED };
  return { statusCode, outcome: outcome === 'ignored' ? IGNORED : GONE };
}

const whenThere = shared === undefined ? describe.skip : describe;
whenThere(
  'samples of Slack, signed and posted (skipped unless PARLEY_SHARED names the folder of samples/)',
  () => {
    test('are all in the table', () => {
      expect(samples.map(nameOf).toSorted()).toEqual(Object.keys(OUTCOMES).toSorted());
    });

    test.each(samples)('%s', async (file) => {
      expect(await post(file)).toEqual({ statusCode: 200, outcome: OUTCOMES[nameOf(file)] });
    });

    test.each(samples.filter((file) => OUTCOMES[nameOf(file)] === FORGETS))(
      '%s, of a whole organization, forgets that',
      async (file) => {
        const { team_id: _, authorizations: __, ...orgWide } = read(file);
        const { handle, tasks } = front();
        const { statusCode } = await handle(signed(JSON.stringify(orgWide)));
        const workspace = orgWide['enterprise_id'];
        expect(statusCode).toBe(200);
        expect(tasks()).toMatchObject([
          { kind: 'erase', scope: { kind: 'workspace' }, thread: { workspace } },
        ]);
      },
    );

    test('a form filled in across companies, once it is one of ours, is of the workspace that has the app', async () => {
      const file = samples.find((name) => name.includes('connect_channel_payload')) ?? '';
      const sent = payloadOf(read(file));
      const ours = { callback_id: 'form', private_metadata: '{"a":"persona.save"}', state: { values: {} } };
      const payload = JSON.stringify({ ...sent, view: { ...v.parse(object, sent['view']), ...ours } });
      const { handle, tasks } = front();
      expect((await handle(signed(new URLSearchParams({ payload }).toString(), FORM))).statusCode).toBe(200);
      expect(tasks()).toMatchObject([
        { interaction: { workspace: 'T-installed-workspace', by: { workspace: 'T-other-side' } } },
      ]);
    });
  },
);

function nameOf(file: string): string {
  return basename(file, '.json');
}
