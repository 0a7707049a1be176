import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  ContextMenuCommandBuilder,
  Routes,
  SlashCommandBuilder,
} from 'discord.js';
import * as v from 'valibot';
import { type Reply, startApp } from './app.ts';
import type { Json } from './json.ts';
import type { DiscordSimulatorOptions } from './server.ts';
import { setUp, tearDown } from './harness.ts';

const closing: (() => void)[] = [];
/** Stops what `start` started. */
export async function stopAll(): Promise<void> {
  await tearDown();
  for (const close of closing.splice(0)) close();
}

export const COMMANDS = [
  new SlashCommandBuilder()
    .setName('ask')
    .setNameLocalizations({ de: 'frage' })
    .setDescription('Ask a question')
    .setIntegrationTypes(ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall)
    .addStringOption((option) =>
      option
        .setName('question')
        .setNameLocalizations({ de: 'was' })
        .setDescription('What')
        .setRequired(true)
        .setMaxLength(100),
    )
    .addStringOption((option) => option.setName('model').setDescription('Which').setAutocomplete(true))
    .addAttachmentOption((option) => option.setName('file').setDescription('A file'))
    .toJSON(),
  new SlashCommandBuilder()
    .setName('settings')
    .setDescription('Settings')
    .addSubcommand((sub) =>
      sub
        .setName('model')
        .setDescription('Model')
        .addStringOption((option) =>
          option.setName('name').setDescription('Which').addChoices({ name: 'A', value: 'a' }),
        ),
    )
    .toJSON(),
  new ContextMenuCommandBuilder().setName('Ask about this').setType(ApplicationCommandType.Message).toJSON(),
];

/** A simulator, an app with given responses, and commands registered by the real client. */
export async function start(
  reply: (payload: Json) => Reply | Promise<Reply>,
  options: DiscordSimulatorOptions = {},
) {
  const up = await setUp(options);
  const app = await startApp(() => up.simulator.keys.publicKey, reply);
  closing.push(app.close);
  up.simulator.setDeliverTo(app.url);
  const { applicationId } = up.simulator;
  await up.rest.put(Routes.applicationCommands(applicationId), { body: COMMANDS });
  const last = () => up.core.state.interactions.get([...up.core.state.interactions.keys()].at(-1) ?? '');
  const webhook = (more: string) =>
    `${up.simulator.apiUrl}/webhooks/${applicationId}/${last()?.token}${more}`;
  const call = async (method: string, more: string, body?: object) => {
    const headers = { 'content-type': 'application/json' };
    const sent = body ? { body: JSON.stringify(body), headers } : {};
    const response = await fetch(webhook(more), { method, ...sent });
    const answered: unknown = response.status === 204 ? {} : await response.json();
    return { status: response.status, ...v.parse(v.record(v.string(), v.unknown()), answered) };
  };
  return { ...up, app, call, last };
}

export const DEFER = { type: 5 };
export const ORIGINAL = '/messages/@original';
