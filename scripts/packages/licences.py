"""The licences of everything in the program, as one text."""

import pathlib
import re

HEAD = """\
Dyno is licensed under MIT or Apache-2.0. What is compiled into this program besides its own code,
and the licences that it comes under:
"""
WITHOUT = """\
These crates come without a text of their licence. Their manifests name it; the texts of MIT and of
Apache-2.0 are those of other parts, with these authors.
"""
RULE = "=" * 80
NAMES = re.compile(r"(?i)^(licen[cs]e|copying|copyright|notice|unlicense|third.?party)")


def own_texts(package):
    """What a crate brings: files at its top, and the one that its manifest names."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = {path for path in folder.iterdir() if path.is_file() and NAMES.match(path.name)}
    files |= {path for at in ("LICENSES", "LICENSE") for path in (folder / at).glob("*")
              if path.is_file()}
    if package["license_file"]:
        files.add(folder / package["license_file"])
    return [path.read_text(errors="replace").strip() + "\n" for path in sorted(files)]


def of_crates(packages):
    """Each text once, with the crates that it is of."""
    of, without = {}, []
    for package in packages.values():
        if package["source"] is None:
            continue
        title = f"  {package['name']} {package['version']}: {package['license']}"
        texts = own_texts(package)
        for text in texts:
            of.setdefault(text, []).append(title)
        if not texts:
            without.append(f"{title} ({', '.join(package['authors']) or 'authors not named'})")
    parts = [f"{RULE}\n" + "\n".join(names) + f"\n{RULE}\n\n{text}" for text, names in of.items()]
    if without:
        parts.append(f"{RULE}\n{WITHOUT}\n" + "\n".join(without) + "\n")
    return parts


def of_everything(packages, parts):
    texts = [HEAD]
    for part in parts:
        title = " ".join(word for word in (part.name, part.version) if word)
        texts.append(f"{RULE}\n  {title}: {part.licence}\n  {part.source}\n{RULE}\n")
        texts.extend(part.texts)
    return "\n".join(texts + of_crates(packages))
