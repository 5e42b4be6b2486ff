/** Asks Berth for names that are nearly what the person typed. */
import { useSignal } from '@preact/signals'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { api, errorText } from '../../data/api.ts'
import { databasePath } from '../../routes.ts'

/** Berth's refusal names the nearest names. */
export function SimilarNames({ name }: { name: string }) {
  const answer = useSignal<string | null>(null)
  const [, go] = useLocation()
  const find = async () => {
    try {
      go(databasePath((await api.database.find({ name })).databaseId))
    } catch (error) {
      answer.value = errorText(error)
    }
  }
  return (
    <>
      <Button small onClick={() => void find()}>
        Look for similar names
      </Button>
      {answer.value !== null && (
        <Notice announce>
          <p>{answer.value}</p>
        </Notice>
      )}
    </>
  )
}
