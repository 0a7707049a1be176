import * as z from 'zod/mini';

/** The outputs of `-c worker=fargate`, which a synthesis without it lacks. */
export const WORKER_SERVICE_OUTPUTS: readonly string[] = ['WorkerCluster', 'WorkerService'];

const resource = z.object({
  Type: z.string(),
  Properties: z._default(z.record(z.string(), z.unknown()), {}),
  Metadata: z.optional(z.record(z.string(), z.unknown())),
  DeletionPolicy: z.optional(z.string()),
  UpdatePolicy: z.optional(z.unknown()),
  DependsOn: z.optional(z.union([z.string(), z.array(z.string())])),
});

const template = z.object({
  Resources: z.record(z.string(), resource),
  Parameters: z.record(
    z.string(),
    z.object({
      Type: z.optional(z.string()),
      Default: z.optional(z.union([z.string(), z.number()])),
      MaxLength: z.optional(z.number()),
    }),
  ),
  Conditions: z._default(z.record(z.string(), z.unknown()), {}),
  Outputs: z.record(z.string(), z.unknown()),
});

const statement = z.object({
  Effect: z.string(),
  Action: z.union([z.string(), z.array(z.string())]),
  Resource: z.unknown(),
  Condition: z.optional(z.unknown()),
});

const policy = z.object({
  Roles: z.array(z.object({ Ref: z.string() })),
  PolicyDocument: z.object({ Statement: z.array(statement) }),
});

const task = z.object({
  ContainerDefinitions: z.array(
    z.object({ Environment: z._default(z.array(z.object({ Name: z.string(), Value: z.unknown() })), []) }),
  ),
});

export type Resource = z.infer<typeof resource> & { readonly id: string };

/** A template as the tests look at it: names without the hash that the CDK adds. */
export class TemplateView {
  readonly parameters: z.infer<typeof template>['Parameters'];
  /** Of the template, by their ids. */
  readonly choices: z.infer<typeof template>['Conditions'];
  readonly outputs: readonly string[];
  readonly #outputs: Readonly<Record<string, unknown>>;
  readonly #resources: readonly Resource[];

  constructor(json: unknown) {
    const { Resources, Parameters, Conditions, Outputs } = template.parse(json);
    this.parameters = Parameters;
    this.choices = Conditions;
    this.outputs = Object.keys(Outputs);
    this.#outputs = Outputs;
    this.#resources = Object.entries(Resources).map(([id, body]) => ({ id, ...body }));
  }

  all(...types: string[]): readonly Resource[] {
    return types.length === 0 ? this.#resources : this.#resources.filter(({ Type }) => types.includes(Type));
  }

  /** What an output is made of. */
  output(name: string): unknown {
    return this.#outputs[name];
  }

  one(type: string, name: string): Resource {
    const found = this.all(type).filter(({ id }) => plain(id) === name);
    if (found.length !== 1 || !found[0]) throw new Error(`${found.length} of ${type} ${name}`);
    return found[0];
  }

  /** All that the role of a function may do: actions by the resource they are allowed on. */
  rights(name: string): Record<string, string[]> {
    const role = this.one('AWS::IAM::Role', `${name}Role`).id;
    const rights: Record<string, string[]> = {};
    for (const { Properties } of this.all('AWS::IAM::Policy')) {
      const { Roles, PolicyDocument } = policy.parse(Properties);
      if (!Roles.some(({ Ref }) => Ref === role)) continue;
      for (const { Effect, Action, Resource: on } of PolicyDocument.Statement) {
        if (Effect !== 'Allow') continue;
        for (const target of [on].flat()) (rights[targetOf(target)] ??= []).push(...[Action].flat());
      }
    }
    return Object.fromEntries(Object.entries(rights).map(([on, actions]) => [on, actions.toSorted()]));
  }

  /** What the rights of a function to such actions are held to. */
  conditions(name: string, actions: string): unknown[] {
    const role = this.one('AWS::IAM::Role', `${name}Role`).id;
    return this.all('AWS::IAM::Policy')
      .map(({ Properties }) => policy.parse(Properties))
      .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === role))
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .filter(({ Action }) => [Action].flat().some((action) => action.startsWith(actions)))
      .map(({ Condition }) => Condition);
  }

  /** The variables of a task's containers, as those of a function. */
  taskEnv(name: string): Record<string, string> {
    const { ContainerDefinitions } = task.parse(this.one('AWS::ECS::TaskDefinition', name).Properties);
    const all = ContainerDefinitions.flatMap(({ Environment }) => Environment);
    return Object.fromEntries(all.map(({ Name, Value }) => [Name, targetOf(Value)]));
  }

  /** The variables of a function; a reference is shown as the name of what it refers to. */
  env(name: string): Record<string, string> {
    const environment = z.object({ Variables: z.record(z.string(), z.unknown()) });
    const { Environment } = this.one('AWS::Lambda::Function', `${name}Function`).Properties;
    const { Variables } = environment.parse(Environment);
    return Object.fromEntries(Object.entries(Variables).map(([key, value]) => [key, targetOf(value)]));
  }
}

const reference = z.union([
  z.pipe(
    z.object({ 'Fn::Sub': z.string() }),
    z.transform((sub) => sub['Fn::Sub']),
  ),
  z.string(),
  z.pipe(
    z.object({ Ref: z.string() }),
    z.transform(({ Ref }) => plain(Ref)),
  ),
  z.pipe(
    z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
    z.transform((get) => plain(get['Fn::GetAtt'][0])),
  ),
]);

const joined = z.object({ 'Fn::Join': z.tuple([z.string(), z.array(reference)]) });

/** What a value of the template points at, e.g. `Tasks`, `Conversations/index/open`. Throws at what it cannot read. */
export function targetOf(value: unknown): string {
  const join = joined.safeParse(value);
  return join.success ? join.data['Fn::Join'][1].join(join.data['Fn::Join'][0]) : reference.parse(value);
}

/** A logical id without the hash that the CDK adds. */
export function plain(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '');
}
