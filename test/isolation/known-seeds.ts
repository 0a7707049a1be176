/** The seed of a run that shows a seeded bug early, and a part of its first violation. */
export type KnownSeed = { readonly seed: number; readonly finding: string };

/**
 * A seed for each seeded bug, by its name. A new operation, or another order of random choices, changes what the seeds do. A test fails if one
 * no longer shows its bug: `npm run isolation -- --operations 0 --mutants` then searches for another one, and prints it.
 */
export const KNOWN_SEEDS: Readonly<Record<string, KnownSeed>> = {
  'one token for all workspaces': { seed: 1, finding: 'users.info: the token of' },
  'settings of all workspaces in one partition': {
    seed: 1,
    finding: 'get SETTINGS#slack#T0PARLEY00: the partition of',
  },
  'chats without a guild share settings': { seed: 2, finding: 'get SETTINGS#discord#@me#' },
  'one API key for all workspaces': { seed: 1, finding: 'get OWNKEY#slack#T0PARLEY00: the partition of' },
  'accounts without their workspace': { seed: 1, finding: 'get ACCOUNT#slack#T0PARLEY00: the partition of' },
  'threads without their workspace': { seed: 1, finding: ': the partition of' },
  'all threads of a channel are one conversation': { seed: 3, finding: 'prompt: a text of the conversation' },
  'everybody is an administrator': { seed: 2, finding: 'changes the settings of workspace' },
  'a guest who is an administrator at home is one here': { seed: 1, finding: 'changes budgets by' },
  'everybody may forget a thread': { seed: 1, finding: 'by forget' },
  'ephemeral responses are public': { seed: 3, finding: 'everybody sees what is for' },
  'a summary reads another channel': { seed: 45, finding: 'prompt: a text of C0SHARED00 is read in' },
  'everybody may regenerate an answer': { seed: 1, finding: 'by press' },
  'ephemeral responses are public in Discord': { seed: 1, finding: 'everybody sees what is for' },
  'a blocked person may ask': { seed: 5, finding: 'is kept out, and asks' },
  'a budget of no requests is no limit': { seed: 20, finding: 'is kept out, and asks' },
  'other bots count as people': { seed: 2, finding: 'asks, which nobody allowed' },
  'a search reads the thread of the previous search': { seed: 1, finding: 'the partition of' },
  'locks of the deployment are ignored': {
    seed: 1,
    finding: 'tokens are asked for where the deployment allows',
  },
  'recordings of all workspaces in one partition': { seed: 3, finding: ': the partition of' },
  'every video belongs to everybody': { seed: 4, finding: 'changes the video of' },
  'a blocked person has videos made': { seed: 49, finding: 'is kept out, and asks' },
  'a callback is accepted without its secret': {
    seed: 11,
    finding: 'a callback with the secret of another job',
  },
  'each update of a message counts as an edit': { seed: 1, finding: 'a repeated update asks' },
  'private facts are used everywhere': { seed: 1, finding: 'said in private is in a prompt of' },
  'every channel counts as public': { seed: 2, finding: 'said in private is in a prompt of' },
  'the facts of somebody else are used': { seed: 1, finding: 'the facts of' },
  'servers of tools of all workspaces in one partition': {
    seed: 1,
    finding: 'TOOLS#slack#T0PARLEY00: the partition of',
  },
  'everybody decides about calls of tools': { seed: 2, finding: 'changes the tool call of' },
  'tools with an effect run at once': { seed: 2, finding: 'is called without a press' },
  'tools that are on for somebody are on for everybody': { seed: 2, finding: 'for whom it is off' },
  'everybody administers servers of tools': { seed: 2, finding: 'changes the settings of' },
  'one sign-in for all people': { seed: 2, finding: 'SERVER#mail#U0ADA00000: U0MIA00000 changes the tools' },
  'integrations of all workspaces in one partition': {
    seed: 1,
    finding: 'INTEGRATIONS#slack#T0PARLEY00: the partition of',
  },
  'requests of all integrations in one partition': { seed: 1, finding: 'the requests of all' },
  'the secret of an API key is not compared': { seed: 1, finding: 'an invalid API key is answered' },
  'an integration may ask in every channel': { seed: 1, finding: 'where it may not' },
  'a key works after its integration was removed': { seed: 3, finding: 'an invalid API key is answered' },
  'documents of all channels in one collection': {
    seed: 1,
    finding: 'KNOWLEDGE#slack#T0PARLEY00#C0SHARED00',
  },
  'everybody may remove documents': { seed: 5, finding: 'changes the document of' },
  'the knowledge of another channel is searched': {
    seed: 1,
    finding: 'KNOWLEDGE#slack#T0PARLEY00#C0SHARED00',
  },
  'schedules of all workspaces in one partition': { seed: 1, finding: 'SCHEDULE#slack#T0PARLEY00' },
  'everybody changes all schedules': { seed: 11, finding: 'changes the schedule of' },
  'the schedules of others are listed': { seed: 9, finding: 'is shown to' },
  'a schedule runs in another channel': { seed: 2, finding: 'is read in C0SHARED00' },
  'the schedules of a forgotten person stay': { seed: 11, finding: 'a forgotten schedule of' },
  'a paused schedule runs': { seed: 8, finding: 'a paused schedule of' },
  'the messages of another tenant are searched': { seed: 2, finding: 'the token of T0PARLEY00 is used for' },
  'a search reads private channels': { seed: 8, finding: 'a search finds a message of G0SECRET00' },
  'the search is on for everybody if it is on for somebody': { seed: 2, finding: 'for whom it is off' },
  'the messages of a forgotten person are searched': { seed: 40, finding: 'wrote before it was forgotten' },
  'Slack signatures are not verified': {
    seed: 1,
    finding: 'a request with a forged signature is answered with 200',
  },
};
