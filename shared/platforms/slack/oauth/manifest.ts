import { listEvents, type ListenMode, MESSAGE_SEARCH_SCOPE, OPTIONAL_SCOPES, SCOPES } from './scopes.ts';

/** A command in the menu of a message, as the manifest names it. */
export type Shortcut = { readonly name: string; readonly label: string; readonly about: string };

export type ManifestOptions = {
  /** The origin of the deployment, such as `https://id.execute-api.region.amazonaws.com`. Without it: socket mode. */
  readonly origin?: string | undefined;
  readonly listening: ListenMode;
  /** The one slash command, with its slash. */
  readonly command: string;
  /** At most `MAX_MESSAGE_SHORTCUTS`. */
  readonly shortcuts: readonly Shortcut[];
  /** Whether a whole organization can install the app. It needs `origin`, as the install is done in a browser. */
  readonly orgWide?: boolean | undefined;
  /** Whether the app may search the messages of public channels. */
  readonly messageSearch?: boolean | undefined;
};

/** Slack's limit of shortcuts in the menu of a message. Source: docs.slack.dev/interactivity/implementing-shortcuts. */
const MAX_MESSAGE_SHORTCUTS = 5;
/** Slack's limit for the name of a shortcut. */
const MAX_LABEL_LENGTH = 24;
const MAX_DESCRIPTION_LENGTH = 150;

/**
 * The app manifest for one deployment: its events, scopes and request URLs. Source: docs.slack.dev/reference/app-manifest,
 * schema 2.0.0. Throws a RangeError for more shortcuts than Slack allows.
 */
export function createManifest(options: ManifestOptions) {
  const { origin, listening, command, shortcuts, orgWide = false, messageSearch = false } = options;
  if (shortcuts.length > MAX_MESSAGE_SHORTCUTS)
    throw new RangeError(`${shortcuts.length} message shortcuts; Slack allows ${MAX_MESSAGE_SHORTCUTS}`);
  const events = origin === undefined ? undefined : `${origin}/slack/events`;
  const url = events === undefined ? {} : { url: events };
  const request = events === undefined ? {} : { request_url: events };
  return {
    _metadata: { major_version: 2, minor_version: 1 },
    display_information: {
      name: 'Parley',
      description: 'Ask questions in a thread and go on asking.',
      background_color: '#1F2A44',
    },
    features: {
      agent_view: {
        agent_description: 'Ask anything, show it files, and go on asking in the thread.',
        suggested_prompts: [
          { title: 'Sum up a text', message: 'Sum up the text that I paste next in five points.' },
          {
            title: 'Explain a file',
            message: 'Explain the file that I attach next to somebody who has never seen it.',
          },
        ],
      },
      app_home: {
        home_tab_enabled: true,
        messages_tab_enabled: true,
        messages_tab_read_only_enabled: false,
      },
      bot_user: { display_name: 'parley', always_online: true },
      // Slack refuses an empty list.
      ...(shortcuts.length === 0 ? {} : { shortcuts: shortcuts.map(toShortcut) }),
      slash_commands: [
        {
          command,
          ...url,
          description: 'Ask, choose a model, see settings and usage',
          usage_hint: '[help | ask | settings | usage …]',
          // Mentions are sent as ids, as names are not unique.
          should_escape: true,
        },
      ],
    },
    oauth_config: {
      ...(origin === undefined ? {} : { redirect_urls: [`${origin}/slack/oauth_redirect`] }),
      scopes: getScopes(messageSearch),
    },
    settings: {
      event_subscriptions: { ...request, bot_events: listEvents(listening, orgWide) },
      interactivity: { is_enabled: true, ...request },
      org_deploy_enabled: orgWide,
      socket_mode_enabled: origin === undefined,
      // It cannot be turned off again for an app. Tokens are renewed where it is on.
      token_rotation_enabled: false,
    },
  };
}

const getScopes = (messageSearch: boolean) => ({
  bot: messageSearch ? [...SCOPES, MESSAGE_SEARCH_SCOPE] : SCOPES,
  bot_optional: OPTIONAL_SCOPES,
});

function toShortcut({ name, label, about }: Shortcut) {
  const description = about.slice(0, MAX_DESCRIPTION_LENGTH);
  return { name: label.slice(0, MAX_LABEL_LENGTH), type: 'message', callback_id: name, description };
}
