//! Ordinary code: functions, rules or records in a row, as agents write them. `@N@` stands for the number of the piece.

/// A language with what stands before its pieces, a piece, and what stands behind them.
struct Code {
    alias: &'static str,
    before: &'static str,
    piece: &'static str,
    behind: &'static str,
}

const CODE: &[Code] = &[
    Code {
        alias: "cts",
        before: r"",
        piece: r#"export function handle@N@(request: Request@N@, options: { retries: number }): Result {
  const items = request.items.filter((item) => item.id !== @N@ && item.name);
  for (const item of items) {
    if (item.size > options.retries * 2) {
      logger.info(`item ${item.name} of ${request.user}`);
      continue;
    }
    update(item.id, { ...item, seen: true, tags: ['a', 'b', "c"] });
  }
  return items.length > 0 ? { ok: true, count: items.length } : undefined;
}

"#,
        behind: r"",
    },
    Code {
        alias: "tsx",
        before: r"",
        piece: r#"export function handle@N@(request: Request@N@, options: { retries: number }): Result {
  const items = request.items.filter((item) => item.id !== @N@ && item.name);
  for (const item of items) {
    if (item.size > options.retries * 2) {
      logger.info(`item ${item.name} of ${request.user}`);
      continue;
    }
    update(item.id, { ...item, seen: true, tags: ['a', 'b', "c"] });
  }
  return items.length > 0 ? { ok: true, count: items.length } : undefined;
}

"#,
        behind: r"",
    },
    Code {
        alias: "py",
        before: r"",
        piece: r#"def handle_@N@(request, options=None):
    """Handles request @N@."""
    items = [item for item in request.items if item.id != @N@ and item.name]
    for item in items:
        if item.size > options.retries * 2:
            logger.info("item %s of %s", item.name, request.user)
            continue
        update(item.id, seen=True, tags=['a', 'b'])
    return {'ok': True, 'count': len(items)} if items else None


"#,
        behind: r"",
    },
    Code {
        alias: "rs",
        before: r"",
        piece: r#"/// Handles request @N@.
pub fn handle_@N@(request: &Request, options: &Options) -> Result<Outcome, Error> {
    let items: Vec<&Item> = request.items.iter().filter(|item| item.id != @N@ && !item.name.is_empty()).collect();
    for item in &items {
        if item.size > options.retries * 2 {
            info!("item {} of {}", item.name, request.user);
            continue;
        }
        update(item.id, Change { seen: true, ..Change::default() })?;
    }
    match items.len() {
        0 => Err(Error::Empty),
        count => Ok(Outcome { count }),
    }
}

"#,
        behind: r"",
    },
    Code {
        alias: "go",
        before: r"package a

",
        piece: r#"// Handle@N@ handles request @N@.
func Handle@N@(request *Request, options Options) (*Result, error) {
	var items []Item
	for _, item := range request.Items {
		if item.ID != @N@ && item.Name != "" {
			items = append(items, item)
		}
	}
	if err := update(items, map[string]bool{"seen": true}); err != nil {
		return nil, fmt.Errorf("update: %w", err)
	}
	return &Result{Count: len(items)}, nil
}

"#,
        behind: r"",
    },
    Code {
        alias: "java",
        before: r"package a;

public class Handlers {
",
        piece: r#"    /** Handles request @N@. */
    public Result handle@N@(Request request, Options options) throws IOException {
        List<Item> items = new ArrayList<>();
        for (Item item : request.items()) {
            if (item.id() != @N@ && item.size() > options.retries() * 2) {
                logger.info("item " + item.name());
                items.add(item);
            }
        }
        return items.isEmpty() ? null : new Result(items.size(), items.stream().map(Item::name).toList());
    }

"#,
        behind: r"}
",
    },
    Code {
        alias: "c",
        before: r"",
        piece: r#"/* Handles request @N@. */
static int handle_@N@(const struct request *request, int retries)
{
	int count = 0;
	for (size_t i = 0; i < request->len; i++) {
		const struct item *item = &request->items[i];
		if (item->id != @N@ && item->size > retries * 2) {
			printf("item %s\n", item->name);
			count++;
		}
	}
	return count > 0 ? count : -1;
}

"#,
        behind: r"",
    },
    Code {
        alias: "gemspec",
        before: r"",
        piece: r#"# Handles request @N@.
def handle_@N@(request, options = {})
  items = request.items.select { |item| item.id != @N@ && item.name }
  items.each do |item|
    next if item.size > options[:retries] * 2
    update(item.id, seen: true, tags: %w[a b])
    puts "item #{item.name} of #{request.user}"
  end
  items.empty? ? nil : { ok: true, count: items.size }
end

"#,
        behind: r"",
    },
    Code {
        alias: "bash",
        before: r"",
        piece: r#"# Handles request @N@.
handle_@N@() {
  local request="$1" count=0
  for item in "$request"/*.txt; do
    if [ -f "$item" ] && [ "$(wc -c < "$item")" -gt @N@ ]; then
      echo "item ${item##*/}" >> "$LOG"
      count=$((count + 1))
    fi
  done
  case "$count" in
    0) return 1 ;;
    *) printf '%s\n' "$count" ;;
  esac
}

"#,
        behind: r"",
    },
    Code {
        alias: "php",
        before: r"<?php

",
        piece: r#"/** Handles request @N@. */
function handle@N@(Request $request, array $options): ?array
{
    $items = array_filter($request->items, fn($item) => $item->id !== @N@ && $item->name);
    foreach ($items as $item) {
        if ($item->size > $options['retries'] * 2) {
            continue;
        }
        update($item->id, ['seen' => true]);
        echo "item {$item->name}\n";
    }
    return count($items) > 0 ? ['count' => count($items)] : null;
}

"#,
        behind: r"",
    },
    Code {
        alias: "c#",
        before: r"namespace A;

public class Handlers
{
",
        piece: r#"    /// <summary>Handles request @N@.</summary>
    public Result? Handle@N@(Request request, Options options)
    {
        var items = request.Items.Where(item => item.Id != @N@ && item.Name != null).ToList();
        foreach (var item in items)
        {
            if (item.Size > options.Retries * 2) continue;
            logger.Info($"item {item.Name}");
            Update(item.Id, new Change { Seen = true });
        }
        return items.Count > 0 ? new Result(items.Count) : null;
    }

"#,
        behind: r"}
",
    },
    Code {
        alias: "kotlin",
        before: r"",
        piece: r#"/** Handles request @N@. */
fun handle@N@(request: Request, options: Options): Result? {
    val items = request.items.filter { it.id != @N@ && it.name.isNotEmpty() }
    for (item in items) {
        if (item.size > options.retries * 2) continue
        logger.info("item ${item.name} of ${request.user}")
        update(item.id, seen = true, tags = listOf("a", "b"))
    }
    return if (items.isEmpty()) null else Result(items.size)
}

"#,
        behind: r"",
    },
    Code {
        alias: "lua",
        before: r"",
        piece: r#"-- Handles request @N@.
local function handle_@N@(request, options)
  local count = 0
  for _, item in ipairs(request.items) do
    if item.id ~= @N@ and item.size > options.retries * 2 then
      print("item " .. item.name)
      count = count + 1
    end
  end
  return count > 0 and { ok = true, count = count } or nil
end

"#,
        behind: r"",
    },
    Code {
        alias: "json",
        before: r"[
",
        piece: r#"  {"id": @N@, "name": "item @N@", "tags": ["a", "b"], "size": {"width": @N@.5, "height": null}, "seen": true},
"#,
        behind: r"{}]
",
    },
    Code {
        alias: "swift",
        before: r"",
        piece: r#"/// Handles request @N@.
func handle@N@(request: Request, options: Options) -> Result? {
    let items = request.items.filter { $0.id != @N@ && !$0.name.isEmpty }
    for item in items {
        if item.size > options.retries * 2 { continue }
        print("item \(item.name) of \(request.user)")
        update(item.id, seen: true, tags: ["a", "b"])
    }
    return items.isEmpty ? nil : Result(count: items.count)
}

"#,
        behind: r"",
    },
    Code {
        alias: "css",
        before: r"",
        piece: r#".item-@N@, .list > .item-@N@:hover {
  color: #a0b1c7;
  margin: 0 auto @N@px;
  background: url("img/@N@.png") no-repeat;
  transition: color 0.2s ease-in-out;
}

"#,
        behind: r"",
    },
    Code {
        alias: "yaml",
        before: r"",
        piece: r#"item-@N@:
  name: "item @N@"
  size: @N@
  tags:
    - a
    - b
  nested: { seen: true, count: @N@ }
"#,
        behind: r"",
    },
    Code {
        alias: "htm",
        before: r"<!DOCTYPE html>
<html><body>
",
        piece: r#"<div class="item" id="item-@N@">
  <h2>Item @N@</h2>
  <p>Some <b>bold</b> text &amp; a <a href="/items/@N@">link</a>.</p>
  <img src="@N@.png" alt="item">
</div>
"#,
        behind: r"</body></html>
",
    },
    Code {
        alias: "markdown",
        before: r"",
        piece: r"## Part @N@

Some text with *emphasis*, `code` and a [link](https://example.org/@N@).

- first item
- second item

```sh
echo @N@
```

",
        behind: r"",
    },
    Code {
        alias: "cjs",
        before: r"",
        piece: r#"function handle@N@(request, options)  {
  const items = request.items.filter((item) => item.id !== @N@ && item.name);
  for (const item of items) {
    if (item.size > options.retries * 2) {
      logger.info(`item ${item.name} of ${request.user}`);
      continue;
    }
    update(item.id, { ...item, seen: true, tags: ['a', 'b', "c"] });
  }
  return items.length > 0 ? { ok: true, count: items.length } : undefined;
}

"#,
        behind: r"",
    },
];

/// Code of at most so many bytes in each of the languages, each text a whole one.
pub(crate) fn texts(size: usize) -> Vec<(&'static str, String)> {
    let text = |code: &Code| {
        let mut text = code.before.to_owned();
        for number in 0.. {
            let piece = code.piece.replace("@N@", &number.to_string());
            if text.len() + piece.len() + code.behind.len() > size {
                break;
            }
            text.push_str(&piece);
        }
        (code.alias, text + code.behind)
    };
    CODE.iter().map(text).collect()
}
