import { type Filled, menu, personMenu, press, slash, submit } from './interaction-payloads.ts';
import type { Delivery, Outcome } from './delivery.ts';
import type { Discord } from './discord.ts';
import { type Json, listOf } from './json.ts';
import type { Given } from './options.ts';
import type { Saying } from './persons.ts';
import { record } from './record.ts';

/** Actions of people in Discord, with the requests to the app. People are named by id or username. */
export type UserInteractions = {
  /** A person posts in a channel, `general` by default. Returns the message's id. */
  say(user: string, channel: string | undefined, text: string, how?: Omit<Saying, 'channel'>): string;
  /** A person sends a slash command; subcommands follow the name after a space. */
  slash(user: string, channel: string | undefined, name: string, options?: Given): Promise<Outcome>;
  /** A person types in an option: returns the choices of the app, or undefined without a response. */
  complete(
    user: string,
    channel: string | undefined,
    name: string,
    options: Given,
    focused: string,
  ): Promise<Json[] | undefined>;
  /** A person runs a message command. */
  menu(user: string, message: string, name: string): Promise<Outcome>;
  /** A person runs a user command. */
  personMenu(user: string, target: string, channel: string | undefined, name: string): Promise<Outcome>;
  /** A person clicks a button, or selects values. */
  press(user: string, message: string, customId: string, values?: readonly string[]): Promise<Outcome>;
  /** A person submits the modal that the interaction with this id opened. */
  submit(user: string, form: string, filled: Filled): Promise<Outcome>;
  /** A person, or the owner of a guild, installs or removes the app. True if the app acknowledged it at once. */
  authorize(user: string, guild?: string): Promise<boolean>;
  deauthorize(user: string): Promise<boolean>;
};

export function createUserInteractions(core: Discord, delivery: Delivery): UserInteractions {
  const { context } = core;
  const place = (channel: string | undefined): string => channel ?? core.channel;
  const event = (type: string, data: Json): Json => ({
    version: 1,
    application_id: context.identity.applicationId,
    type: 1,
    event: { type, timestamp: new Date(context.now()).toISOString(), data },
  });
  const presentUser = (user: string): Json => {
    const { id, username, name } = core.userNamed(user);
    return { id, username, global_name: name, discriminator: '0', avatar: null };
  };
  return {
    say: (user, channel, text, how = {}) => core.say(user, text, { ...how, channel: place(channel) }),
    slash: async (user, channel, name, options = {}) =>
      delivery.interact(slash(context, core.userNamed(user), place(channel), name, options)),
    async complete(user, channel, name, options, focused) {
      const request = slash(context, core.userNamed(user), place(channel), name, options, focused);
      await delivery.interact(request);
      const view = context.state.interactions.get(request.interaction.id)?.shown;
      return view && listOf(view['choices']);
    },
    menu: async (user, message, name) =>
      delivery.interact(menu(context, core.userNamed(user), core.message(message), name)),
    personMenu: async (user, target, channel, name) =>
      delivery.interact(
        personMenu(context, core.userNamed(user), core.userNamed(target), place(channel), name),
      ),
    press: async (user, message, customId, values) =>
      delivery.interact(press(context, core.userNamed(user), core.message(message), customId, values)),
    async submit(user, form, filled) {
      const interaction = context.state.interactions.get(form);
      if (!interaction) throw new Error(`There is no form of ${form}`);
      return delivery.interact(submit(context, core.userNamed(user), interaction, filled));
    },
    async authorize(user, guild) {
      const knownGuild = guild === undefined ? undefined : context.state.guilds.get(guild);
      if (knownGuild) record(context, { kind: 'guild', guild: { ...knownGuild, installed: true } });
      const where: Json = knownGuild
        ? { integration_type: 0, guild: { id: knownGuild.id, name: knownGuild.name } }
        : { integration_type: 1 };
      const scopes = knownGuild ? ['bot', 'applications.commands'] : ['applications.commands'];
      return delivery.tell(event('APPLICATION_AUTHORIZED', { ...where, scopes, user: presentUser(user) }));
    },
    deauthorize: (user) => delivery.tell(event('APPLICATION_DEAUTHORIZED', { user: presentUser(user) })),
  };
}
