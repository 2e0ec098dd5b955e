// Saves all rows of a list as a file.
import type { ReactNode } from 'react';
import { readFile } from '../api.ts';
import { useProject } from '../project.tsx';
import { ActionMenu } from './menu.tsx';

const formats = { csv: 'CSV', xlsx: 'Excel workbook', json: 'JSON', ndjson: 'NDJSON' } as const;

interface Props {
  /** Of the file, after the project's. */
  readonly name: string;
  /** The path of the list in a format. */
  readonly path: (parameters: { readonly format: string; readonly limit?: string }) => string;
}

export function ExportMenu({ name, path }: Props): ReactNode {
  const { name: project } = useProject();
  const save = async (format: string) => {
    // the other formats have all rows anyway
    const file = path(format === 'json' ? { format, limit: 'all' } : { format });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await readFile(file));
    link.download = `${project}-${name}.${format}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  return (
    <ActionMenu
      label="Export"
      actions={Object.entries(formats).map(([format, label]) => ({ label, run: () => save(format) }))}
    />
  );
}
