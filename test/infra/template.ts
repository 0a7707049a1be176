import * as v from 'valibot';

/** The outputs of `-c worker=fargate`, which a synthesis without it lacks. */
export const WORKER_SERVICE_OUTPUTS: readonly string[] = ['WorkerCluster', 'WorkerService'];

const resource = v.object({
  Type: v.string(),
  Properties: v.optional(v.record(v.string(), v.unknown()), {}),
  Metadata: v.optional(v.record(v.string(), v.unknown())),
  DeletionPolicy: v.optional(v.string()),
  UpdatePolicy: v.optional(v.unknown()),
  DependsOn: v.optional(v.union([v.string(), v.array(v.string())])),
});

const template = v.object({
  Resources: v.record(v.string(), resource),
  Parameters: v.record(
    v.string(),
    v.object({
      Type: v.optional(v.string()),
      Default: v.optional(v.union([v.string(), v.number()])),
      MaxLength: v.optional(v.number()),
    }),
  ),
  Conditions: v.optional(v.record(v.string(), v.unknown()), {}),
  Rules: v.optional(v.record(v.string(), v.unknown()), {}),
  Outputs: v.record(v.string(), v.unknown()),
});

const statement = v.object({
  Effect: v.string(),
  Action: v.union([v.string(), v.array(v.string())]),
  Resource: v.optional(v.unknown()),
  Condition: v.optional(v.unknown()),
});

const policy = v.object({
  Roles: v.array(v.object({ Ref: v.string() })),
  PolicyDocument: v.object({ Statement: v.array(statement) }),
});

const task = v.object({
  ContainerDefinitions: v.array(
    v.object({
      Environment: v.optional(v.array(v.object({ Name: v.string(), Value: v.optional(v.unknown()) })), []),
    }),
  ),
});

export type Resource = v.InferOutput<typeof resource> & { readonly id: string };

/** A template for tests: names without the hash of the CDK. */
export class TemplateView {
  readonly parameters: v.InferOutput<typeof template>['Parameters'];
  /** The resources of the template, by id. */
  readonly choices: v.InferOutput<typeof template>['Conditions'];
  /** What is checked before a resource is created, by id. */
  readonly rules: Readonly<Record<string, unknown>>;
  readonly outputs: readonly string[];
  readonly #outputs: Readonly<Record<string, unknown>>;
  readonly #resources: readonly Resource[];

  constructor(json: unknown) {
    const { Resources, Parameters, Conditions, Rules, Outputs } = v.parse(template, json);
    this.parameters = Parameters;
    this.choices = Conditions;
    this.rules = Rules;
    this.outputs = Object.keys(Outputs);
    this.#outputs = Outputs;
    this.#resources = Object.entries(Resources).map(([id, body]) => ({ id, ...body }));
  }

  all(...types: string[]): readonly Resource[] {
    return types.length === 0 ? this.#resources : this.#resources.filter(({ Type }) => types.includes(Type));
  }

  /** The value of an output. */
  output(name: string): unknown {
    return this.#outputs[name];
  }

  one(type: string, name: string): Resource {
    const matches = this.all(type).filter(({ id }) => plain(id) === name);
    if (matches.length !== 1 || !matches[0]) throw new Error(`${matches.length} of ${type} ${name}`);
    return matches[0];
  }

  /** The permissions of a function's role: actions by resource. */
  rights(name: string): Record<string, string[]> {
    const role = this.one('AWS::IAM::Role', `${name}Role`).id;
    const rights: Record<string, string[]> = {};
    for (const { Properties } of this.all('AWS::IAM::Policy')) {
      const { Roles, PolicyDocument } = v.parse(policy, Properties);
      if (!Roles.some(({ Ref }) => Ref === role)) continue;
      for (const { Effect, Action, Resource: on } of PolicyDocument.Statement) {
        if (Effect !== 'Allow') continue;
        for (const target of [on].flat()) (rights[targetOf(target)] ??= []).push(...[Action].flat());
      }
    }
    return Object.fromEntries(Object.entries(rights).map(([on, actions]) => [on, actions.toSorted()]));
  }

  /** The conditions on such actions of a function. */
  conditions(name: string, actions: string): unknown[] {
    const role = this.one('AWS::IAM::Role', `${name}Role`).id;
    return this.all('AWS::IAM::Policy')
      .map(({ Properties }) => v.parse(policy, Properties))
      .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === role))
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .filter(({ Action }) => [Action].flat().some((action) => action.startsWith(actions)))
      .map(({ Condition }) => Condition);
  }

  /** The environment of a task's containers, as that of a function. */
  taskEnv(name: string): Record<string, string> {
    const { ContainerDefinitions } = v.parse(task, this.one('AWS::ECS::TaskDefinition', name).Properties);
    const all = ContainerDefinitions.flatMap(({ Environment }) => Environment);
    return Object.fromEntries(all.map(({ Name, Value }) => [Name, targetOf(Value)]));
  }

  /** The environment of a function; a reference is shown as the name of its target. */
  env(name: string): Record<string, string> {
    const variables = Object.entries(this.variables(name));
    return Object.fromEntries(variables.map(([key, value]) => [key, targetOf(value)]));
  }

  /** The environment of a function, as it is in the template. */
  variables(name: string): Record<string, unknown> {
    const environment = v.object({ Variables: v.record(v.string(), v.unknown()) });
    const { Environment } = this.one('AWS::Lambda::Function', `${name}Function`).Properties;
    return v.parse(environment, Environment).Variables;
  }
}

const reference = v.union([
  v.pipe(
    v.object({ 'Fn::Sub': v.string() }),
    v.transform((sub) => sub['Fn::Sub']),
  ),
  v.string(),
  v.pipe(
    v.object({ Ref: v.string() }),
    v.transform(({ Ref }) => plain(Ref)),
  ),
  v.pipe(
    v.object({ 'Fn::GetAtt': v.tuple([v.string(), v.string()]) }),
    v.transform((get) => plain(get['Fn::GetAtt'][0])),
  ),
]);

/** One of the two parts of a generated secret name, cut out of the ARN of the secret. */
const namePart = v.object({
  'Fn::Select': v.tuple([
    v.number(),
    v.object({
      'Fn::Split': v.tuple([
        v.literal('-'),
        v.object({
          'Fn::Select': v.tuple([
            v.literal(6),
            v.object({ 'Fn::Split': v.tuple([v.literal(':'), v.object({ Ref: v.string() })]) }),
          ]),
        }),
      ]),
    }),
  ]),
});
const secretName = v.pipe(
  v.object({ 'Fn::Join': v.tuple([v.literal('-'), v.tuple([namePart, namePart])]) }),
  v.transform((join) =>
    plain(join['Fn::Join'][1][0]['Fn::Select'][1]['Fn::Split'][1]['Fn::Select'][1]['Fn::Split'][1].Ref),
  ),
);

const joined = v.object({ 'Fn::Join': v.tuple([v.string(), v.array(reference)]) });

/** The target of a template value, e.g. `Tasks`, `Conversations/index/open`. Throws for unknown forms. */
export function targetOf(value: unknown): string {
  const name = v.safeParse(secretName, value);
  if (name.success) return name.output;
  const join = v.safeParse(joined, value);
  return join.success
    ? join.output['Fn::Join'][1].join(join.output['Fn::Join'][0])
    : v.parse(reference, value);
}

/** A logical id without the hash of the CDK. */
export function plain(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '');
}
