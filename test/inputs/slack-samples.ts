import { mention, ROOT } from '../functions/slack.ts';
import { ADA, GRACE, setUp } from '../simulators/slack/harness.ts';
import { asJson, type Json } from './json.ts';

export type SlackSample = { readonly kind: 'json' | 'form' | 'payload'; readonly body: Json };

const command = (text: string): Json => ({
  command: '/parley',
  text,
  team_id: 'T1',
  team_domain: 'example',
  channel_id: 'C1',
  channel_name: 'general',
  user_id: 'U1',
  user_name: 'ada',
  api_app_id: 'A1',
  is_enterprise_install: 'false',
  response_url: 'https://hooks.slack.com/commands/T1/1/x',
  trigger_id: '1.2.x',
});

const WORDS = [
  'help',
  'ask why is the sky blue? model:model-b',
  'settings model:model-b for:channel',
  'persona save name:pirate text:"Talk like a pirate."',
  'summarise from:yesterday',
  'usage person:<@U2|grace> format:csv',
  'video prompt:"waves" model:model-v',
  'key',
  'schema save',
  'export what:me',
];

const interaction = {
  user: { id: 'U1', username: 'ada', team_id: 'T1' },
  team: { id: 'T1', domain: 'example' },
  enterprise: null,
  is_enterprise_install: false,
  trigger_id: '1.2.x',
  response_url: 'https://hooks.slack.com/actions/T1/1/x',
};

const pressed = (id: string, more: object = {}): Json =>
  asJson({
    type: 'block_actions',
    ...interaction,
    container: { type: 'message', message_ts: '1690000001.000100', channel_id: 'C1', thread_ts: ROOT },
    channel: { id: 'C1', name: 'general' },
    actions: [
      { type: 'button', action_id: id, block_id: 'b', value: 'x', action_ts: '1690000002.000100', ...more },
    ],
  });

const submitted = (callback: string): Json =>
  asJson({
    type: 'view_submission',
    ...interaction,
    view: {
      id: 'V1',
      type: 'modal',
      callback_id: callback,
      private_metadata: JSON.stringify({ channel: 'C1', url: 'https://hooks.slack.com/actions/T1/1/x' }),
      app_installed_team_id: 'T1',
      state: {
        values: {
          name: { name: { type: 'plain_text_input', value: 'pirate' } },
          text: { text: { type: 'plain_text_input', value: 'Talk.' } },
          pick: {
            pick: {
              type: 'static_select',
              selected_option: { value: 'yes', text: { type: 'plain_text', text: 'Yes' } },
            },
          },
        },
      },
    },
  });

/** The events of a day in a simulated workspace. */
function events(): Json[] {
  const { workspace, events: eventCallbacks, channel } = setUp();
  const file = { name: 'notes.txt', mimetype: 'text/plain', content: Buffer.from('twelve bytes') };
  const root = workspace.say(ADA, '@parley why *is* the sky `blue`?');
  workspace.say(GRACE, 'and then?', { thread: root });
  workspace.say(ADA, '@parley what does it say?', { files: [file] });
  workspace.say(ADA, 'directly', { channel: 'dm' });
  workspace.edit(ADA, channel, root, '@parley why not?');
  workspace.remove(ADA, channel, root);
  workspace.openHome(ADA);
  workspace.deleteChannel(channel);
  workspace.uninstall();
  return eventCallbacks.map(asJson);
}

const json = (body: Json): SlackSample => ({ kind: 'json', body });
const payload = (body: Json): SlackSample => ({ kind: 'payload', body });

/** Valid bodies of every kind that Slack sends. */
export function slackSamples(): readonly [SlackSample, ...SlackSample[]] {
  const shortcut = {
    type: 'message_action',
    ...interaction,
    callback_id: 'ask-about',
    channel: { id: 'C1', name: 'general' },
    message: {
      ts: ROOT,
      user: 'U2',
      text: 'The sky is *blue*.',
      files: [{ id: 'F1', name: 'a.png', mimetype: 'image/png', size: 5 }],
    },
  };
  const reaction = {
    type: 'reaction_added',
    user: 'U1',
    reaction: 'eyes',
    item: { type: 'message', channel: 'C1', ts: ROOT },
    item_user: 'U2',
    event_ts: '1700000000.000100',
  };
  const stopped = { type: 'agent_session_stopped', user: 'U1', channel: 'C1', thread_ts: ROOT };
  return [
    json(asJson(mention())),
    json(
      asJson(
        mention({
          type: 'message',
          channel_type: 'channel',
          thread_ts: ROOT,
          files: [{ id: 'F1', name: 'a.png', mimetype: 'image/png', size: 1 }],
        }),
      ),
    ),
    ...[reaction, stopped, { type: 'team_access_revoked', team_ids: ['T2'] }].map((event) =>
      json(asJson({ ...mention(), event })),
    ),
    ...events().map(json),
    json({ type: 'url_verification', challenge: 'x' }),
    json({ type: 'app_rate_limited', team_id: 'T1' }),
    ...WORDS.map((text): SlackSample => ({ kind: 'form', body: command(text) })),
    { kind: 'form', body: { ssl_check: '1' } },
    ...[
      'settings.set|model',
      'voice.translate|5',
      'persona.save-form|',
      'schema.edit-form|1|1',
      'parley:stop',
      'rate|1|2|good',
      'settings.lock-form|model',
    ].map((id) => payload(pressed(id, { selected_option: { value: 'de' }, selected_users: ['U2'] }))),
    payload(pressed('parley:regenerate', { value: JSON.stringify({ root: ROOT, message: ROOT }) })),
    ...['persona.save', 'ask.about|1.1', 'schema.save|x', 'settings.set|model'].map((id) =>
      payload(submitted(id)),
    ),
    payload(asJson(shortcut)),
    payload(asJson({ type: 'block_suggestion', ...interaction, value: 'x', action_id: 'x' })),
    payload(asJson({ type: 'view_closed', ...interaction, view: { id: 'V1' } })),
  ];
}
