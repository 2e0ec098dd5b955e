// Asks a running `view` on every path of its OpenAPI document, and compares each answer with its schema.
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Described {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get?: {
          readonly responses: Readonly<
            Record<string, { readonly content?: Readonly<Record<string, { schema: object }>> }>
          >;
        };
      }
    >
  >;
  readonly components: object;
}

interface NamedRow {
  readonly id: string;
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly location?: string;
}

/** The status of each path, and what is wrong with its answer; null: nothing. */
export async function describedAnswers(
  url: string,
  project: string,
): Promise<ReadonlyMap<string, { readonly status: number; readonly complaint: string | null }>> {
  const get = async (path: string) => {
    const answer = await fetch(url + path);
    return { status: answer.status, body: (await answer.json()) as unknown };
  };
  const document = (await get('/openapi.json')).body as Described;
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'api', components: document.components }, 'api');
  ajv.addVocabulary(['components']);
  const listed = (await get(`/v1/projects/${project}/keywords?limit=1&target=*`)).body as { readonly data: NamedRow[] };
  const [row] = listed.data;
  if (row === undefined) throw new Error(`${project} has no rows`);
  const { id, keyword, country, language, device, location } = row;
  const search = new URLSearchParams({ keyword, country, language, device, ...(location && { location }) });
  const maps = (await get(`/v1/projects/${project}/grids?limit=1`)).body as { readonly data: NamedRow[] };
  const mapId = maps.data[0]?.id ?? id;
  const checked = new Map<string, { status: number; complaint: string | null }>();
  for (const [path, { get: operation }] of Object.entries(document.paths)) {
    if (operation === undefined) continue;
    const named = path.replace('{project}', project).replace('{id}', path.includes('/grids/') ? mapId : id);
    const { status, body } = await get(named + (path.includes('/serp') ? `?${search}` : ''));
    const schema = operation.responses[status]?.content?.['application/json']?.schema;
    if (schema === undefined) {
      checked.set(path, { status, complaint: 'has no schema' });
      continue;
    }
    const isRight = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
    const complaint = isRight(body) ? null : ajv.errorsText(isRight.errors?.slice(0, 3));
    checked.set(path, { status, complaint });
  }
  return checked;
}

/** The paths whose answers are not as described, with what is wrong. */
export async function undescribed(url: string, project: string): Promise<string[]> {
  const answers = await describedAnswers(url, project);
  return [...answers].flatMap(([path, { status, complaint }]) =>
    complaint === null ? [] : [`${path} ${status}: ${complaint}`],
  );
}
